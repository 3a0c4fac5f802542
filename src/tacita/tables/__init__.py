"""Tables: from records to cells, which cells are sensitive, and what an attacker can compute."""
