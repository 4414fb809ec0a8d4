"""Where the cursor is in a section of a cell, and what stands above it."""
