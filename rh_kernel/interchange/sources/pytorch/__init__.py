"""Reading modules of PyTorch."""
