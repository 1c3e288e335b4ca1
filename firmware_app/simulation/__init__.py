"""The world around a simulated table: a dealer, players, a shuffler. Nothing of the table itself.

The table that is simulated runs on its real code: what is swapped is the pin factory and the
serial URL. The dealer here does only what a person could do: lay chips, press buttons, deal.
"""
