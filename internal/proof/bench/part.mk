.PHONY: bench
bench: ## Measure what it costs, against PostgreSQL's own floor
	go run ./internal/proof/bench/cmd/bench $(BENCH)

.PHONY: bench-peers
bench-peers: ## Compare it with other ways to create, and write docs/peers.md
	go run ./internal/proof/bench/cmd/peers $(BENCH)
