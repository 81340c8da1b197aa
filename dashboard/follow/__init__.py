"""Keeping up with the clusters: one thread each in the control process, every step of it callable without the thread."""
