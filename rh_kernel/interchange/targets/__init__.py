"""The array languages to which programs are exported, a module for each."""
