"""Inner loops for graphics cards: the same results as on the processor, to the last bit. Needs CuPy."""

from __future__ import annotations


def missing() -> str | None:
    """What is missing for work on a graphics card, in words; None where nothing is."""
    try:
        import cupy
    except ImportError:
        return "CuPy is not installed; pip install 'tacita[gpu]', or CuPy for your version of CUDA"
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        count = 0
    return None if count else "no CUDA device is found"
