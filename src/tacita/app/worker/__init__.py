"""A process that computes for the page: `python -m tacita.app.worker`, JSON lines in, JSON lines out.

The server of the page holds no data and loads no library that could: questions about data go to such a
worker, which can be killed at any moment without leaving a half-written file.

A line in is a question, `{"id": 1, "verb": "profile", "given": {...}}`, one at a time; or a word to the
running verb: `{"word": "enough"}` keeps the best so far, other words wait until the verb reads them. A line
out reports on the question with that id:

    {"id": 1, "event": "progress", "stage": "grouping", "share": 0.4}     ten a second at most
    {"id": 1, "event": "bounds", "lower": 3.0, "upper": 4.0}              and other events of a verb
    {"id": 1, "event": "done", "answer": {...}}                           the last of it, or one of:
    {"id": 1, "event": "refused", "message": "...", "fields": {"k": "..."}, "refusal": {...}}
    {"id": 1, "event": "broken", "kind": "ZeroDivisionError"}             no message: it could quote data

A verb is a function of the request (`given`) and of the `JobContext`, in a file of its family
(`records.py`), and one line in `dispatcher.py`. It calls `tacita.api` and turns what comes back into what
JSON can hold; it computes nothing. Its answer goes to the owner of the data alone.
"""
