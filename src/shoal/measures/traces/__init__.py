"""What measures of linked tables share."""
