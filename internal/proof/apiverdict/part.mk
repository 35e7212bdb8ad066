.PHONY: api-verdicts
api-verdicts: ## Ask a JSON API what becomes of repeats: API=file that describes it (docs/verdicts/api.md)
	@go run ./internal/proof/apiverdict/cmd/apiverdict '$(API)'
