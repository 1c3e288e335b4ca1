"""The feed: what happened at the table, published over MQTT for the casino's systems.

Events come from the journal's outbox, never from memory alone: a message is marked sent when the
broker has acknowledged it, and not before.
"""
