"""The version of tacita that made the committed figures.

It stays while methods give the same figures, and becomes the present version with a full run.
"""

VERSION = "0.1.0"
