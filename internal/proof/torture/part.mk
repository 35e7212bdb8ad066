.PHONY: torture
torture: ## Prove by fault injection that nothing is created twice, and that the proof can fail
	go run ./internal/proof/torture/cmd/torture -selftest
	go run ./internal/proof/torture/cmd/torture $(TORTURE)
