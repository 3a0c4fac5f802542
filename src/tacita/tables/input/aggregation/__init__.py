"""From records to the cells of a table, in memory or in parts.

1. `partial_table`           Some of the records: their labels, their faults and their sums.
2. `exact_sum`               Sums without loss, so that the order of records and their split do not matter.
3. `contributor_aggregates`  Additive figures of the contributors of each cell, by record or by holding.
4. `ranking`                 The largest contributions of each cell.
5. `parquet_aggregation`     The same by an executor, part by part, with all records of a holding in one part.

A table of a file in memory is that of one portion. Holdings are numbered by their first record, so that a
number means the same in every part and every table of a file.
"""
