"""What ``%compile`` shows: programs, their passes, their profiles."""
