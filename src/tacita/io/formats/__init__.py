"""Formats of files of records, the reader and the writer of each together."""
