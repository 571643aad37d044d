"""One algorithm a file, and the compiled kernels beside it."""
