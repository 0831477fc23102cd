"""Pages of findings, one module for each campaign with a function ``write(store, runs)``."""
