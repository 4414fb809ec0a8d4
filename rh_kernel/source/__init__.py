"""Program text, spans in it, and diagnostics about it."""
