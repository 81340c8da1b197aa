"""The levels of loggers, changed while a process runs (KIP-495, KIP-976): docs/decisions/0018-log-levels.md."""
