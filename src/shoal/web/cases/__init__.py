"""Cases: what someone decides about one file, what was found out for it, and what was written. Nothing knows HTTP."""
