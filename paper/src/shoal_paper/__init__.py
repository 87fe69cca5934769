"""The paper behind shoal: a stand-in for its data, its study, and each of its claims checked."""
