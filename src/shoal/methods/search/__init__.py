"""The search for classes that keep all constraints and lose little, which the method `hilbert` makes."""
