"""How much connectors do and how far they are behind: asked once a minute by the control process, kept for a week."""
