"""What the control room makes of what it reads: pure functions of values, no database and no network in them."""
