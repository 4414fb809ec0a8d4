"""What bounds a cell: steps, sizes, seconds."""
