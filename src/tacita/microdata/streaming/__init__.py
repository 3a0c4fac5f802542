"""Files larger than memory: partitioned, protected part by part, and merged again.

1. `global_scan`   One pass: counts of strata, means and spreads of all records, a sample.
2. `partition`     Assigns every record to a part. Small strata share one; large ones are cut across the
                   widest axis until a part has about as many records as one process can treat.
3. `part_worker`   Runs the plan on each part, as on a file of its own.
4. `merge`         Writes the records of all parts in the order of the source, under a temporary name.
5. `verify.large_files`Reads source and written file again, part by part, and tries to refute every promise.
6. `partial_measures`, `report`  Compute the measures from partial statistics of all parts, and the record.
                   Only then is the file renamed.

All records of a group are in one part, so groups of k of a part are groups of k of the file. The result does
not depend on how the source is split into files, on the executor or on the number of workers: strata and
values decide the part, and a hash of the record number decides ties and samples.
"""
