"""The compiler: a command becomes a straight-line array program, once, which then runs on arrays any number of times."""
