"""Values for masked cells."""
