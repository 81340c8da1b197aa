"""Which clusters there are: what somebody wishes them to be, whether that can be, and bringing it about."""
