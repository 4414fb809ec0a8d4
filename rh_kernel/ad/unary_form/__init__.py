"""Unary form: purely functional reverse mode by way of operations that take and return their whole context.

Huot and Shaikhha, "Denotationally Correct, Purely Functional, Efficient Reverse-mode Automatic Differentiation".
"""
