.PHONY: scale
scale: ## Prove the app beyond one machine: what=pooler, failover or backup
	@go run ./internal/proof/scale/cmd/scale $(SCALE) "$$what"
