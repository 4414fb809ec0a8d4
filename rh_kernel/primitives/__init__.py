"""Σ_fun (RH Def. 3.1): the function symbols that come with the language, one record each."""
