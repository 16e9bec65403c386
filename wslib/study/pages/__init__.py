"""The experiments behind the pages of the book: which units each asks for."""
