"""What top and bottom coding, and other coding of values, is made of."""
