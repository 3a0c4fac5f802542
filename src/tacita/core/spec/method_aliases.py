"""What papers call methods and measures that have another name here."""

from __future__ import annotations

# kind -> name in a paper -> ours, where they differ by more than capital letters; an optional line for each.
# docs/reproduced/papers.md names the papers.
ALIASES: dict[str, dict[str, str]] = {
    "microaggregation": {
        "M-d": "mst-d",
        "Uk-W": "kward",
        "Uk-W(MD)": "kward",
        "k-Ward": "kward",
        "DBFS": "md",
        "MicTSP": "tsp-mhm",
        "k-means-I": "kmeans1",
        "k-means-II": "kmeans2",
        "h-means-I": "hmeans1",
        "h-means-II": "hmeans2",
        "HM+KM": "hmkm",
    },
    "synthesis": {"fuzzy-c-regression": "fcrm"},
    "suppression": {"Lagrangean": "lagrange", "Lagrangeano": "lagrange"},
    "loss": {"IL": "IL1"},
    "risk": {"ID": "ID_sd"},
}
