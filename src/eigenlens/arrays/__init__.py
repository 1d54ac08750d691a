"""Arrays of NumPy, torch and CuPy become one set of operations, which all rooms call.

Only this room imports array libraries. Checks of parameters, the wording that several rooms share, exact scaling by
powers of two, threads and memory are here as well, since any room may need them.
"""
