"""The denotational semantics of the core (RH §7): commands denote string diagrams, which run on a heap."""
