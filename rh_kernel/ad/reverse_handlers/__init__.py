"""The derivatives of this paper: Fig. 6 on terms, and a reverse handler on the program as a net (Fig. 7)."""
