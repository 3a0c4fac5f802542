"""The exact method and its engines: networks of two-way tables, relations of any other, branch and cut."""
