"""The quality note: what a user of the released file must know, and nothing that helps an attacker.

Only these leave the confidential record: the method and its k, the promises that were verified, how
missing values were treated, whether whole numbers were rounded, and a coarse band of the loss. Columns
and the number of records are those of the released file itself.
"""

from __future__ import annotations

from tacita.core import Microdata, RecordsRelease, registry

from .pages import render

# Together with the released spread, an exact loss gives the exact spread of the originals: one more
# equation for an attacker who sits in a group himself. A band of this width is none.
_BANDS = ((5.0, "below 5 %"), (10.0, "5 to 10 %"), (25.0, "10 to 25 %"), (50.0, "25 to 50 %"))
_BEYOND = "above 50 %"


def note_html(release: RecordsRelease) -> str:
    """A short page that is safe to publish beside the data."""
    record = release.record
    columns = Microdata.of(release.data).columns
    drawn = set(record.roles.get("dependent", ()))
    masked = [name for name in columns if name in {*record.roles.get("quasi", ()), *drawn}]
    declared = {*record.roles.get("nominal", ()), *record.roles.get("ordinal", ())}
    kept = {verdict.guarantee for verdict in record.verdicts if verdict.passed}
    return render(
        "note.html",
        records=record.records_out,
        k=record.parameters.get("k"),
        methods=[_spoken_method(name) for name in record.method],
        masked=masked,
        categories=[name for name in masked if name in declared],
        numbers=[name for name in masked if name not in declared],
        unchanged=[name for name in columns if name not in set(masked)],
        strata=[name for name in columns if name in set(record.roles.get("strata", ()))],
        independent=[name for name in columns if name in set(record.roles.get("independent", ()))],
        identifiers_removed=bool(record.roles.get("identifiers")),
        weighted=record.roles.get("weight") is not None,
        kept=kept,
        missing=record.options.get("missing"),
        rounded=bool(record.options.get("round_integers")),
        # record by record, synthetic values lose nearly all, which says nothing about their use
        loss=None if drawn else _loss_band(release),
        loss_of=next((score.covers for score in release.report if score.name == "IL1"), ()),
    )


def _spoken_method(name: str) -> str:
    known = registry.names(*registry.PROTECTING)
    return registry.lookup(name, *registry.PROTECTING).spoken_name() if name in known else name


def _loss_band(release: RecordsRelease) -> str | None:
    value = next((score.value for score in release.report if score.name == "IL1"), None)
    if value is None:
        return None
    return next((words for limit, words in _BANDS if value < limit), _BEYOND)
