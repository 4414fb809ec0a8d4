"""Terms, types and declarations of EFF as they are written."""
