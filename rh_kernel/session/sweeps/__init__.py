"""Sweeps (LANGUAGE §9): the items below ``sweep a in [0.1, 0.2]`` run once for each combination, each from the heap as it was.

``action`` checks and drives them, ``executors`` is the protocol of what runs them, ``choice`` chooses: ``processes`` of the
standard library, ``on_cluster``, or ``in_process``. ``worker`` is what a process does for one run.
"""
