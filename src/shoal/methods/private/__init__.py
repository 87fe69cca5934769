"""What methods share whose promise follows from noise: declared domains, noise on whole numbers, and what is said."""
