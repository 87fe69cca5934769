"""What methods share that know of earlier releases of the same people."""
