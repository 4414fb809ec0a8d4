"""Source and Target: types, terms, type checker, evaluator and printer."""
