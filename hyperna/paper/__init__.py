"""The paper's printed tables and their reproduction."""
