"""The commands, each module's in its `COMMANDS`."""
