"""What is done with tables, each task in a process of its own that can be ended at any time.

A task is a function of a request and of a reporter, by which it says how far it is and what it has found so far. What
goes in and what comes out are messages (`messages`), which both processes check. No task gives back a cell unless it
was asked for exactly that.
"""
