"""Models of other libraries as programs of this language, and programs of this language as models of theirs."""
