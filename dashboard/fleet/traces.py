"""Stack traces for people: the command line reads them the same way."""

from connect_client.traces import Frames, Link, chain, root_cause

__all__ = ["Frames", "Link", "chain", "root_cause"]
