"""Files of named arrays: a module for each format, all of them readers that tell shapes first and read in blocks."""
