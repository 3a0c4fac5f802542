"""Download public benchmark files: bounded in size, pinned by checksum, stored atomically."""

from __future__ import annotations

import csv
import importlib
import io
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from tacita.core.errors import DataError, ParameterError

from .pins import Reference, sha256

TIMEOUT_SECONDS = 30.0
LARGEST_BYTES = 10_000_000


def fetch_csv(reference: Reference, base_url: str) -> bytes:
    """Download the pinned .rda of `reference`, check it, and convert it to the pinned CSV.

    >>> from tacita.datasets.pins import REFERENCES
    >>> fetch_csv(REFERENCES["census"], "http://127.0.0.1:1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tacita.core.errors.DataError: census: ...
    """
    rdata = _rdata(reference)  # fail before the download if the package is missing
    url = f"{base_url.rstrip('/')}/{reference.rda_path}"
    packed = download(reference.name, url)
    checksum = sha256(packed)
    if checksum != reference.rda_sha256:
        raise DataError(
            f"{reference.name}: the download from {url} is not the pinned file: its SHA-256 must be "
            f"{reference.rda_sha256}, got {checksum}. Nothing was stored; try again, or set TACITA_DATA."
        )
    content = to_csv(reference, rdata, packed)
    if sha256(content) != reference.csv_sha256:
        raise DataError(
            f"{reference.name}: the download is the pinned file, but rdata {rdata.__version__} converted it "
            f"to another CSV than the pinned one (SHA-256 {sha256(content)}). "
            "Nothing was stored; set TACITA_DATA."
        )
    return content


def download(dataset: str, url: str) -> bytes:
    """Read what `url` serves, at most `LARGEST_BYTES`, waiting at most `TIMEOUT_SECONDS` at a time.

    >>> download("census", "http://127.0.0.1:1/nobody-listens")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tacita.core.errors.DataError: census: could not download http://127.0.0.1:1/nobody-listens: ...
    """
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import urlopen

    def failure(reason: object) -> DataError:
        return DataError(
            f"{dataset}: could not download {url}: {reason}. Nothing was stored; "
            f"check the network and try again, or set TACITA_DATA to a folder that holds {dataset}.csv."
        )

    try:
        with urlopen(url, timeout=TIMEOUT_SECONDS) as answer:
            announced = answer.headers.get("Content-Length")
            content: bytes = answer.read(LARGEST_BYTES + 1)
    except HTTPError as error:
        with error:  # it holds the open connection
            raise failure(f"the server answered {error.code}") from None
    except URLError as error:
        raise failure(error.reason) from None
    except TimeoutError:
        raise failure(f"no answer within {TIMEOUT_SECONDS:g} seconds") from None
    except (OSError, HTTPException) as error:
        raise failure(f"the connection broke off ({type(error).__name__})") from None
    if len(content) > LARGEST_BYTES:
        raise failure(f"it is larger than {LARGEST_BYTES} bytes")
    if announced is not None and announced.isdigit() and len(content) < int(announced):
        raise failure(f"the connection broke off after {len(content)} of {announced} bytes")
    return content


def to_csv(reference: Reference, rdata: ModuleType, packed: bytes) -> bytes:
    r"""Convert the one data frame in an .rda to CSV; columns of whole numbers are written as integers.

    >>> import pandas, rdata, tempfile
    >>> from tacita.datasets.pins import REFERENCES
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tiny.rda"
    ...     rdata.write_rda(path, {"tiny": pandas.DataFrame({"a": [1.0, 2.0], "b": [0.5, 1.0]})})
    ...     to_csv(REFERENCES["census"], rdata, path.read_bytes())
    b'a,b\n1,0.5\n2,1.0\n'
    """
    with warnings.catch_warnings():
        # The checksum identifies the file, so warnings of rdata about its encoding can be ignored.
        warnings.simplefilter("ignore")
        objects = rdata.read_rda(io.BytesIO(packed)).values()
    frames = [value for value in objects if hasattr(value, "columns")]
    if len(frames) != 1:
        raise DataError(
            f"{reference.name}: {reference.rda_path} must hold one data frame, got {len(frames)}. "
            "Nothing was stored; set TACITA_DATA."
        )
    frame = frames[0]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(frame.columns)
    writer.writerows(zip(*(_cells(frame[name]) for name in frame.columns), strict=True))
    return text.getvalue().encode("utf-8")


def store(path: Path, content: bytes) -> None:
    """Write a file atomically.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store(Path(folder, "new", "tiny.csv"), b"a")
    ...     [path.name for path in Path(folder, "new").iterdir()]
    ['tiny.csv']
    """
    from tacita.io.atomic import made_folder, write_all

    try:
        made_folder(path.parent)
        write_all({path: content}, public=[path], force=True)
    except ParameterError as error:
        raise DataError(f"{error} Set TACITA_CACHE to a folder that you may write to.") from None


def _rdata(reference: Reference) -> ModuleType:
    try:
        return importlib.import_module("rdata")
    except ImportError:
        raise DataError(
            f"{reference.name}: reading the published .rda needs the package rdata, which is not installed. "
            "Install it with: pip install 'tacita[reference]'"
        ) from None


def _cells(column: Any) -> list[Any]:
    """The values of a pandas column for the file: empty for missing, integers if all are whole."""
    values: list[Any] = column.astype(object).where(column.notna(), None).tolist()
    known = [value for value in values if value is not None]
    if all(isinstance(value, float) and value.is_integer() for value in known):
        return [None if value is None else int(value) for value in values]
    return values
