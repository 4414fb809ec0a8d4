"""Python cells, run in the kernel's process."""
