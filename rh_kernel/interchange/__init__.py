"""Programs as functions of other array languages: NumPy, JAX, PyTorch and ONNX."""
