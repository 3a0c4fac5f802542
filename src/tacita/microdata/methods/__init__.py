"""The methods that protect records, by family."""
