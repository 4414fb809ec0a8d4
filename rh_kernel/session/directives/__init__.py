"""The directives (LANGUAGE §6), one module each, which has the name of the directive."""
