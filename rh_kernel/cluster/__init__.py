"""``%cluster``: workers in other processes, by Dask distributed, compute pieces of batches and whole runs (LANGUAGE §9).

``distributed`` is imported when a cluster is used. A worker gets programs and contents, never code from a notebook.
"""
