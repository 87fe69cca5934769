"""Tables that lie in parts: every verb of an engine written once, for whatever holds and moves the parts."""
