"""California's hospital discharges of 2009: a stand-in for them, what was published of them, and the state's files."""
