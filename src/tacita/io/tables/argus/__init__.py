"""Files of tau-ARGUS, in and out: hierarchies (.hrc), metadata (.rda), tables (.tab) and JJ problems.

What is understood of each stands in the module that reads it; anything else is refused by name, not skipped.
"""

from .hierarchies import format_hrc, levels_dimension, parse_hrc
from .jj import format_jj, parse_jj
from .metadata import Metadata, Variable, format_rda, parse_rda
from .tabular import TabFiles, decode_records, decode_tab, dimension_of, encode_tab

__all__ = [
    "Metadata",
    "TabFiles",
    "Variable",
    "decode_records",
    "decode_tab",
    "dimension_of",
    "encode_tab",
    "format_hrc",
    "format_jj",
    "format_rda",
    "levels_dimension",
    "parse_hrc",
    "parse_jj",
    "parse_rda",
]
