"""The Jupyter kernel: messages in, messages out. The session gives cells their meaning, the display their look."""
