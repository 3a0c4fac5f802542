"""Formats of files of tables, the writer and the reader of each together."""
