"""Failures over the whole fleet: which of them are of one kind, and whom each kind has hit."""
