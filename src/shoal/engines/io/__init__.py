"""Reading and writing, shared by all engines: text, Parquet, databases, frames, digests and direct I/O."""
