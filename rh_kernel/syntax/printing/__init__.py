"""The only printer: types, terms, commands and handlers of the core as annotated documents (RH Def. 3.4, LANGUAGE §1)."""
