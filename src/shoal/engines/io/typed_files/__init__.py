"""Files whose columns have types: Arrow, ORC, JSON lines and sheets of Excel."""
