"""The controller of one Fortune Pai Gow Poker table.

Data flows one way: hardware signal → intake → fact → round → journal → sign, lamps, feed.
Each folder is one room; what a room may import is checked by ``tests/test_architecture.py``.
"""
