"""The independent verifier of tables: audits, and what readers of the finished files hold against them."""
