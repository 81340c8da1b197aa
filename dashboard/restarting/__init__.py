"""Restarts that nobody has to ask for: policies, decisions over values and a clock, and their effects."""
