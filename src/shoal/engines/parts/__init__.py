"""Tables in parts: every verb of an engine, written once for every pool that stores and moves the parts."""
