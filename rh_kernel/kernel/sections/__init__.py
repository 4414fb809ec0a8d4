"""The section of a cell at the cursor, and the declarations above it."""
