"""Translation of programs of the common language to Source."""
