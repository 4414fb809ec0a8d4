"""CUDA code generation: pure text, from steps to kernels to a module. ``arrays.cuda.backend`` compiles and runs it."""
