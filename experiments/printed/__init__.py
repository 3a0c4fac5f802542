"""Every figure that the five documents print, one module for each, as they print it.

They are aggregates of published research, under the numbers of its tables; none is ours. What other papers
print, and what is known of each method from anywhere, is in `experiments.published`.

>>> [source.number for source in SOURCES]
['000', '001', '002', '003', '004']
"""

from __future__ import annotations

from . import dfo, kckw, kmedoids, slides, thesis

SOURCES = tuple(module.SOURCE for module in (dfo, kmedoids, slides, kckw, thesis))
