"""From the text of a ``%%eff`` cell to terms: tokens, what was written, and its elaboration."""
