"""What terms of the target are: values, and linear functions as abstract types (CHAD §9)."""
