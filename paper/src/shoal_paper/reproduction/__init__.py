"""The paper's study: every figure and table from one table, and each of its claims checked."""
