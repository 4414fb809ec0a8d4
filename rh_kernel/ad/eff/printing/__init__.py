"""Printers of the terms, types and declarations of EFF."""
