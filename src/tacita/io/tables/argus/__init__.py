"""Read and write files of tau-ARGUS: hierarchies (.hrc), metadata (.rda), tables (.tab), JJ problems.

The module of each format lists what it understands; anything else is refused by name, not skipped.
"""

from tacita.io.hierarchies.hrc import format_hrc, from_digits, parse_hrc

from .jj import format_jj, parse_jj
from .metadata import Metadata, Variable, format_rda, parse_rda, words_of_cells
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
    "from_digits",
    "parse_hrc",
    "parse_jj",
    "parse_rda",
    "words_of_cells",
]
