"""Connectors' configs as somebody edits them: texts, masks, differences, the form. All of it decides over values."""
