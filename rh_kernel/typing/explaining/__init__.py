"""What to say of a program that has no type: what was meant, where its types come from, what to write instead."""
