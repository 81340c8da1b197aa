"""`drover`: the command line for the control room, and for any Connect cluster by itself (docs/cli.md)."""
