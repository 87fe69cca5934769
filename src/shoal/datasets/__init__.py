"""Tables to try things on."""
