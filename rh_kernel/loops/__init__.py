"""The loop IR: scalar operations, loops over strided views of buffers, and the builder by which symbols are lowered to them."""
