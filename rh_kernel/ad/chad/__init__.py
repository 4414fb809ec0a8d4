"""CHAD: combinatory homomorphic automatic differentiation (Vákár and Smeding, TOPLAS 44(3), 2022)."""
