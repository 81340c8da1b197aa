"""What has been of a connector: its states, drawn as a timeline, and what was done to it."""
