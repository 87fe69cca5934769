"""The engine for tables that are larger than memory: parts on disk, and a limit that it stays within."""
