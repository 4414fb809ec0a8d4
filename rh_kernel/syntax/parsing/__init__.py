"""From text to surface syntax (LANGUAGE §1, §6): tokens, items, and one way through each kind of phrase."""
