"""The directives (LANGUAGE §6), one module for each or for a few related ones."""
