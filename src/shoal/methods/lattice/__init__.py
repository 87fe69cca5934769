"""The lattice of levels: what its nodes come to, and how the best of them is found."""
