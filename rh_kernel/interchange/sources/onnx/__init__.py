"""Reading models of ONNX."""
