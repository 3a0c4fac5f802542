"""Single cells that are left empty, so that k records are alike; all others stay as they were."""
