"""What the stages returned, as a person or a program reads it: text, HTML, JSON. Nothing is computed here."""
