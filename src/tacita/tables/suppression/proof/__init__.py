"""From a pattern and a bound to a proof: what the searches in networks and in systems of relations share."""
