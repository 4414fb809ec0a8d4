"""Sessions: the analysis and execution of cells, each of which takes effect as a whole or not at all."""
