"""What methods for linked tables share: the search for a cut, its proof, and suppression."""
