"""Telling somebody who is not looking: rules, what begins and ends by them, and messages that arrive."""
