"""The loop IR: scalar operations, loops over strided views of buffers, and the builder with which a symbol is lowered to them."""
