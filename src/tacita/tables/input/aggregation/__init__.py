"""From records to the cells of a table: looked at, summed up, put together, all at once or in parts.

1. `portions`  Some of the records: which labels they have and what is wrong with them; their sums.
2. `exact`     Sums without loss, so that neither the order of records nor a split of them can be told.
3. `figures`   What is behind each cell, which adds up: of records that stand for themselves, or of holdings.
4. `ranking`   The largest contributions of each cell.
5. `parts`     The same by an executor, part by part: all records of a holding are brought together first.

A table of a file in memory is that of one portion. Holdings are numbered by their first record, so that a
number means the same in every part and every table of a file.
"""
