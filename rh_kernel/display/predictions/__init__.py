"""The view of `%confusion`."""
