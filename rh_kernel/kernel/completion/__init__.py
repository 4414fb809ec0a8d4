"""The Tab key."""
