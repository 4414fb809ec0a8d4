"""Program text, places in it, and complaints about it."""
