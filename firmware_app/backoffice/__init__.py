"""An example back office: the feed of a whole floor in one SQLite file, and a shift's questions.

Small on purpose, and complete where it matters: repeats are dropped, nothing is acknowledged
before it is saved, holes are found and asked for. What an integrator would copy is
:mod:`~firmware_app.backoffice.store`; it needs nothing of the table but the feed's reader.
"""
