"""Made-up files of statistical packages and workbooks, full of what a release must not say."""

import datetime
import io
import tempfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyreadstat
from openpyxl.comments import Comment
from openpyxl.workbook.defined_name import DefinedName

from io_data_sets import data_set
from tacita.core import Microdata
from tacita.core.data.column_metadata import ColumnNotes, Notes
from tacita.io.formats.xport import Xport

__all__ = ["COLUMNS", "SECRET", "data_set", "frame", "survey_dta", "survey_sav", "survey_xlsx", "survey_xpt"]

SECRET = b"SECRET"
COLUMNS = ["pid", "sex", "region", "income", "hours", "few", "born", "job"]


def frame():
    """Thirty persons; hours and few have values that are missing for two reasons and for none."""
    rng = np.random.default_rng(0)
    n = 30
    hours = rng.integers(1, 50, n).astype(float)
    hours[6] = np.nan
    few = np.repeat([1.0, 2.0, np.nan], 10)
    days = [datetime.date(1970, 1, 1) + datetime.timedelta(days=int(day)) for day in rng.integers(0, 9999, n)]
    return pd.DataFrame(
        {
            "pid": [f"P{i:03d}" for i in range(n)],
            "sex": np.tile([1.0, 2.0], 15),
            "region": np.tile([1.0, 2.0, 3.0], 10),
            "income": rng.integers(10, 99, n).astype(float),
            "hours": hours,
            "few": few,
            "born": days,
            "job": rng.choice(["a", "b", "c"], n),
        }
    )


_LABELS = {"pid": "SECRET person", "sex": "Sex", "region": "Region", "hours": "Hours worked"}
_VALUES = {
    "sex": {1: "man", 2: "woman", 3: "SECRET code"},
    "region": {1: "north", 2: "south", 3: "east", 4: "SECRET region"},
}


def _written(write, ending, data, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"x.{ending}")
        write(data, str(path), **options)
        return path.read_bytes()


def survey_sav():
    """With a file label, a note, labels of absent codes and a missing code that nobody has."""
    data = frame()
    data.loc[[3, 5], "hours"] = [-9, -8]
    data.loc[[20, 21], "few"] = [-9, -8]
    reasons = {-9: "refused", -8: "unknown", -7: "SECRET reason"}
    return _written(
        pyreadstat.write_sav,
        "sav",
        data,
        file_label="SECRET FILE",
        note="SECRET NOTE",
        column_labels=_LABELS,
        variable_value_labels={**_VALUES, "hours": reasons, "few": reasons},
        missing_ranges={"hours": [-9, -8, -7], "few": [-9, -8, -7]},
        variable_measure={"sex": "nominal", "income": "scale"},
    )


def survey_dta():
    """The same with letters."""
    data = frame()
    for name in ("hours", "few"):
        data[name] = data[name].astype(object)
    data.loc[[3, 5], "hours"] = ["a", "b"]
    data.loc[[20, 21], "few"] = ["a", "b"]
    reasons = {"a": "refused", "b": "unknown", "c": "SECRET reason"}
    for name in ("sex", "region"):
        data[name] = data[name].astype("int32")
    return _written(
        pyreadstat.write_dta,
        "dta",
        data,
        file_label="SECRET FILE",
        column_labels=_LABELS,
        variable_value_labels={**_VALUES, "hours": reasons, "few": reasons},
        missing_user_values={"hours": ["a", "b", "c"], "few": ["a", "b", "c"]},
    )


def survey_xpt():
    """The same without labels of values, which such files have not."""
    data, kinds = frame(), {}
    for name, rows in (("hours", (3, 5)), ("few", (20, 21))):
        kinds[name] = np.full(30, -1)
        kinds[name][list(rows)] = [0, 1]
        data.loc[list(rows), name] = np.nan
    notes = {name: ColumnNotes(label) for name, label in _LABELS.items()}
    notes |= {name: ColumnNotes(_LABELS.get(name), {}, ("A", "B"), own) for name, own in kinds.items()}
    table = pa.Table.from_pandas(data, preserve_index=False)
    content = bytearray(Xport().encode(Microdata.of(table, notes=Notes("sas", notes))))
    # the label of the data set, and the name of its kind
    content[6 * 80 + 32 : 6 * 80 + 43] = b"SECRET FILE"
    return bytes(content)


def survey_xlsx():
    """With other sheets, one of them hidden, comments, defined names, an author, and text like a formula."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Data"
    data = frame()
    sheet.append(list(data.columns))
    for row in data.itertuples(index=False):
        sheet.append([None if cell != cell else cell for cell in row])
    for row in range(2, 6):
        cell = sheet.cell(row, 8)
        cell.value, cell.data_type = "=SUM(A1)", "s"
    sheet["A2"].comment = Comment("SECRET comment", "SECRET author")
    other = book.create_sheet("Other")
    for word in ("other", "x"):
        other.append([word])
    hidden = book.create_sheet("Hidden")
    hidden.append(["SECRET"])
    hidden.sheet_state = "hidden"
    book.defined_names["SECRET_range"] = DefinedName("SECRET_range", attr_text="Data!$A$1")
    book.properties.creator = "SECRET author"
    book.properties.title = "SECRET title"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
