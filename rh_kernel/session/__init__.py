"""What a cell does to the definitions, the heap and the settings: all of it, or nothing."""
