.PHONY: bench
bench: ## Measure the costs, as ratios to a baseline: BENCH="-only create" one part, BENCH=-quick a first look
	go run ./internal/proof/bench/cmd/bench $(BENCH)
