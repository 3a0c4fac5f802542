"""Information loss, disclosure risk, and their balance."""
