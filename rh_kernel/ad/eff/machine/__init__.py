"""The abstract machine of EFF, which runs programs: compilation, the loop, built-in functions, counts."""
