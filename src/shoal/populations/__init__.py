"""What is known of the population that a table comes from: how many of its people fit what a table shows."""
