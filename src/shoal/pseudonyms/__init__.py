"""Other names for people, and other days for what happened to them, under a secret key: known to who has it alone."""
