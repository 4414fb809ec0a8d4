"""This paper's own derivative, in the laboratory: Fig. 6 on terms, and a reverse handler on the program as a net."""
