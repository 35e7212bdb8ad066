.PHONY: scale
scale: ## Prove the app beyond one machine: what=pooler
	@go run ./internal/proof/scale/cmd/scale $(SCALE) "$$what"
