"""Results of ``%ad``: values, tables of systems, and how counts grow."""
