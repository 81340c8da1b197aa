"""Log levels of a cluster's workers (KIP-495, KIP-976), asked of it when somebody looks."""
