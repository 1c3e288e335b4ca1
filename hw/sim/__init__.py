"""Simulated hardware: the world outside the pins and the cable, with faults on switches."""
