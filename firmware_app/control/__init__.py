"""Control: what a floor supervisor asks of a running table, over a socket of this machine."""
