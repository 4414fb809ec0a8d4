"""Reading functions of JAX."""
