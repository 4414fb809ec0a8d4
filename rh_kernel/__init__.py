"""The language of "Programming Backpropagation with Reverse Handlers for Arrows", in a notebook."""
