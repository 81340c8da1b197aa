"""What the parts of the control process have in common: a step again and again, rows that one process at a time is at."""
