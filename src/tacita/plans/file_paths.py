"""Paths from arguments, and records as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def as_json(content: Mapping[str, Any]) -> bytes:
    """A record as JSON bytes."""
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def as_path(path: str | Path | None) -> Path | None:
    """The argument as a path, or None."""
    return None if path is None else Path(path)
