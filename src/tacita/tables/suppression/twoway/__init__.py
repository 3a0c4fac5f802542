"""Two-way tables as networks of rows and columns: one engine, and the methods that search in it."""
