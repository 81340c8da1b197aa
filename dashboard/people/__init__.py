"""Users, what they are given, and how they sign in. Each function that changes something notes the activity."""
