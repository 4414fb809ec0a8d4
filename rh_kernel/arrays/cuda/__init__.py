"""Plans as CUDA C: pure text, from steps to kernels, from kernels to a module. ``arrays.cuda.backend`` compiles and runs it."""
