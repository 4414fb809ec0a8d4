"""Backpropagation in the simply typed λ-calculus with linear negation (Brunel, Mazza and Pagani 2020).

A backpropagator is a linear function ``R ⊸ Rᵈ`` of type ``R⊥d``. The transformation ``D`` is a homomorphism except at numerals,
sums and function symbols. Reduced with linear factoring, ``x′t + x′u → x′(t + u)``, its result computes the gradient in as many
steps as it takes to reduce the program to a computational graph, and a multiple of the size of that graph.
"""
