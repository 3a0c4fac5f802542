"""Which cells to withhold besides the sensitive ones: three problems, several ways to solve them."""
