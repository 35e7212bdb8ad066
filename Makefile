# `make help` says what there is. Works with GNU make 3.81 and later.

CACHE  := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/onlyonce
LINTER := golangci-lint
LINTER_VERSION := v2.15.0
# Outside the clone, by version: building it takes a minute, once per machine.
LINT   := $(CACHE)/$(LINTER)-$(LINTER_VERSION)/$(LINTER)

# A checkout that belongs to somebody else, as in many containers, has no history that Go may ask for. And what was compiled
# in one directory is there for the copies that tests make in others.
export GOFLAGS += -buildvcs=false -trimpath

# Thousands of requests, one after the other: the race detector would find nothing, and take ten times as long.
WALKS := '^Test(ReadsChangeNothing|EveryNaturalRouteIsNatural|OtherTenantsSeeNothing)$$'

.PHONY: help
help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: ## Start the app, with its own PostgreSQL and demo data
	go run ./cmd/server

.PHONY: test
test: ## Install what the tests need, then run them all, and nearly all that need no browser with the race detector
	e2e/setup
	go test -race -p 2 -timeout 30m -skip $(WALKS) $$(go list ./... | grep -v /e2e$$)
	go test -timeout 30m -run $(WALKS) ./internal/web
	go test -timeout 30m ./e2e

.PHONY: quick
quick: ## Run what needs no browser and no long time
	go test -short $$(go list ./... | grep -v /e2e)

# With another app, RUN says which of the incidents.
ifdef APP
override APP := $(abspath $(APP))
override BASE_URL :=
export APP BASE_URL
CHOSEN = 'TestOtherApp$$/'"$$RUN"
else
CHOSEN = "$$RUN"
endif

.PHONY: e2e
e2e: ## Run the browser tests: RUN=pattern some of them, BASE_URL=https://... against a deployment (docs/e2e.md), APP=file another app
	e2e/setup
ifdef APP
	go test -count=1 -timeout 30m -v ./e2e -run $(CHOSEN)
else
	go test -json -count=1 -timeout 30m ./e2e -run $(CHOSEN) | go run ./internal/scenario/cmd/report
endif

.PHONY: e2e-report
e2e-report: ## The same, with a page to look at: e2e/report/index.html, and junit.xml
	e2e/setup
	rm -rf e2e/report && mkdir -p e2e/report/stories
	E2E_REPORT='$(CURDIR)/e2e/report/stories' go test -json -count=1 -timeout 30m ./e2e -run $(CHOSEN) \
		| go run ./internal/scenario/cmd/report -write e2e/report

.PHONY: dev
dev: ## Start the app, rebuild it on every change and reload the page
	go run ./internal/dev/cmd/dev

.PHONY: rename
rename: ## Give the app your name: module=example.com/acme/ledger name="Acme Ledger"
	@go run ./internal/fork/cmd/rename -module "$$module" -name "$$name" -slug "$$slug"

.PHONY: remove
remove: ## Take away a part that you do not need: what=invoices, what=lab, what=torture, what=bench
	@go run ./internal/fork/cmd/remove "$$what"

# begin torture
.PHONY: torture
torture: ## Prove by fault injection that nothing is created twice, and that the proof can fail
	go run ./internal/torture/cmd/torture -selftest
	go run ./internal/torture/cmd/torture $(TORTURE)
# end torture

# begin bench
.PHONY: bench
bench: ## Measure what it costs, against PostgreSQL's own floor
	go run ./internal/bench/cmd/bench $(BENCH)
# end bench

.PHONY: check
check: $(LINT) ## Hold format, vet, linter, generated code, modules and allowed imports
	go mod verify
	go tool templ generate -check -path templates
	go vet ./...
	$(LINT) run
	go test -count=1 ./internal/check

.PHONY: generate
generate: ## Generate Go from the templates
	go tool templ generate -path templates

$(LINT):
	GOBIN=$(@D) go install github.com/golangci/golangci-lint/v2/cmd/$(LINTER)@$(LINTER_VERSION)

.PHONY: resource
resource: ## Write a new resource: name=expense fields="vendor:text,amount:money,receipt:text:unique?"
	@go run ./internal/scaffold/cmd/scaffold resource '$(name)' '$(fields)' $(if $(plural),--plural='$(plural)')

.PHONY: migration
migration: ## Write an empty migration with the next number: name=expenses_have_projects
	@go run ./internal/scaffold/cmd/scaffold migration '$(name)'
