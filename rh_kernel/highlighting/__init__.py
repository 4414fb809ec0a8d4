"""How the words of a program look: one description, that the export and Pygments read and the page's editor is held to."""
