"""Files of statistical programs, whose variables and values have labels."""
