"""Paths as callers give them, and records as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def as_json(content: Mapping[str, Any]) -> bytes:
    """A record for other programs."""
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def as_path(path: str | Path | None) -> Path | None:
    """A path, where there is one."""
    return None if path is None else Path(path)
