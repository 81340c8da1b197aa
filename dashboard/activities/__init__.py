"""What people and machines did, as it is looked through, shown and taken away."""
