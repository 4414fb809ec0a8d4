"""Backpropagation in the simply typed λ-calculus with linear negation (Brunel, Mazza and Pagani 2020).

A backpropagator is a linear function ``R ⊸ Rᵈ``, of the type ``R⊥d``. The transformation ``D`` is homomorphic but for numerals,
sums and function symbols; reduced with linear factoring, ``x′t + x′u → x′(t + u)``, its result computes the gradient in as
many steps as the program takes to become a graph, and a multiple of the size of that graph.
"""
