"""The claims of the sources, and what results say of them."""
