"""What comes out: scores, verdicts, warnings, releases, progress."""
