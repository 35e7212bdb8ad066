.PHONY: scale
scale: ## Prove the app beyond one machine: what=pooler, failover, backup, upgrade or cells
	@go run ./internal/proof/scale/cmd/scale $(SCALE) "$$what"
