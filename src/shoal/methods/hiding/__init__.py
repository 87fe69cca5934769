"""What hides cells of records shares: patterns of hidden columns, who shows which, and how they are found."""
