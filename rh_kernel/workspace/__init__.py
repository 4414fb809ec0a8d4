"""The Python API: a workspace holds a session, and its results display in scripts, notebooks and the kernel alike."""
