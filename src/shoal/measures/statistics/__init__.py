"""What measures of lost information share: samples, distributions, and values behind generalized cells."""
