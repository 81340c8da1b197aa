"""Where connectors stand (KIP-875), and changing it: pure functions of values, no database and no network in them."""
