"""Files beyond memory: dealt into parts, each made like a file of its own, and put together again.

1. `facts`    One pass: counts of strata, means and spreads of all records, a sample.
2. `dealing`  Every record gets the number of a part: small strata together, large ones cut across the widest
              axis until a part holds about as many records as one process should.
3. `making`   The plan is carried out on each part, as on a file of its own.
4. `joining`  The parts' records are written in the order of the source, under another name.
5. `verify.large_files` reads source and written file anew, part by part, and tries to refute every promise.
6. `measuring` and `telling`  Every part is asked for what figures are told from; only then does the file get
              its name.

Any two records in one group are in one part, so that k records of a part are k records of the file. Nothing
depends on how the source is split, on the executor or the number of workers: parts are decided by strata and
values, ties and samples by a hash of the number of the record.
"""
