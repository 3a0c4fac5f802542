"""Laws whose examples are dear: they get half as many as others, in `make test` and in `make test-long`."""

from hypothesis import settings

DEAR = settings(max_examples=settings.default.max_examples // 2)
