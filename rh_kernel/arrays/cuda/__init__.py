"""Plans as CUDA C: pure text, from steps to kernels, from kernels to a module. ``arrays.cupy_backend`` compiles and runs it."""
