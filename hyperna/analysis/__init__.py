"""Analysis: what many runs say, with its uncertainty."""
