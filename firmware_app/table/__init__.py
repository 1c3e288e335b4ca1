"""The round of a table, as pure values: facts go in, a new state and announcements come out.

No clock, no thread and no I/O: a journal of facts replays to the same states and events.
"""
