"""From models of PyTorch, ONNX and JAX to programs: each reader makes a ``Model``, and one writer prints it."""
