.PHONY: bench
bench: ## Measure what it costs, against PostgreSQL's own floor
	go run ./internal/proof/bench/cmd/bench $(BENCH)
