.PHONY: scale
scale: ## Prove the app beyond one machine: what=pooler, failover, backup, upgrade, cells, proxies or alerts
	@go run ./internal/proof/scale/cmd/scale $(SCALE) "$$what"
