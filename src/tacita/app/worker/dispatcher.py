"""Answers questions, one verb at a time; passes on words to it, and hides faults that could quote data."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tacita import api
from tacita.core import TacitaError

from . import fuzzy, methods, records, table_verbs
from .job_context import JobContext
from .pipe import READY, Pipe, end_of_all
from .preload import modules, next_question
from .refusals import refusal_of

# Every verb by its name; a new one is a function in the file of its family, and a line here.
Verb = Callable[[Mapping[str, Any], JobContext], dict[str, Any]]

VERBS: dict[str, Verb] = {
    "methods": methods.methods,
    "warmup": methods.warmup,
    "demo": records.demo,
    "plan": records.plan,
    "profile": records.profile,
    "preview": records.preview,
    "pseudonym_key": records.pseudonym_key,
    "exposure": records.exposure,
    "protect": records.protect,
    "grid": records.grid,
    "assess": records.assess,
    "fuzzy-points": fuzzy.points,
    "fuzzy-clouds": fuzzy.clouds,
    "fuzzy-watch": fuzzy.watch,
    "fuzzy-sweep": fuzzy.sweep,
    "table": table_verbs.table,
    "publish": table_verbs.publish,
    "cells": table_verbs.cells,
    "audited": table_verbs.audited,
    "audit": table_verbs.audit,
}

# A cell takes so many bytes while it is read and worked on, more or less.
_BYTES_A_CELL = 64
_MOST_CELLS = 200_000_000


def answer_all(pipe: Pipe, ahead: bool = True) -> None:
    """Answer until the other side closes its end; say "ready" and load more `ahead` of all questions."""
    context = JobContext()
    questions: queue.Queue[dict[str, Any]] = queue.Queue()
    threading.Thread(target=_listen, args=(pipe, context, questions), daemon=True).start()
    with api.unfolding_at_most(most_cells()):
        if ahead:
            pipe.tell(READY)
        waiting = modules() if ahead else iter(())
        while True:
            answer(next_question(questions, waiting), context, pipe)


def _listen(pipe: Pipe, context: JobContext, questions: queue.Queue[dict[str, Any]]) -> None:
    try:
        for message in pipe.lines():
            context.on_word(message) if "word" in message else questions.put(message)
    finally:
        end_of_all()


def answer(question: Mapping[str, Any], context: JobContext, pipe: Pipe) -> None:
    """Answer one question: call its verb and send the result."""
    number = question["id"]

    def tell(event: str, message: Mapping[str, Any]) -> None:
        pipe.tell({"id": number, "event": event, **message})

    teller = context.begin(tell)
    try:
        verb = VERBS[question["verb"]]
        with api.report_compiling(teller.compiling):
            send_result = partial(tell, "done", {"answer": verb(question["given"], context)})
    except TacitaError as error:
        refusal = {"message": str(error), "fields": error.fields, "refusal": refusal_of(error)}
        send_result = partial(tell, "refused", refusal)
    except MemoryError:
        message = "There is not enough memory for this. Use fewer records or columns."
        send_result = partial(tell, "refused", {"message": message, "fields": {}, "refusal": {}})
    except Exception as error:
        if os.environ.get("TACITA_DEBUG"):
            import traceback

            traceback.print_exc()
        # its message could quote data, so only its type is sent
        send_result = partial(tell, "broken", {"kind": type(error).__name__})
    send_result()


def most_cells() -> int:
    """How many cells of a file fit into the memory of this machine; larger ones are for the command line."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return _MOST_CELLS
    return min(_MOST_CELLS, memory // _BYTES_A_CELL)
