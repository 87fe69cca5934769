"""The answer to the critics: the attack by known points, and what k^m-anonymity makes of it, on public tables."""
