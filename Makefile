# `make help` lists the commands. Works with GNU make 3.81 and later.

# Programs of the tools, by version. A fork under another name uses those that are there.
CACHE  := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/go-programs
LINTER := golangci-lint
LINTER_VERSION := v2.15.0
LINT   := $(CACHE)/$(LINTER)-$(LINTER_VERSION)

# In many containers another user owns the checkout, so Go can't read its history. -trimpath makes the build cache independent of
# the directory, so the copies that tests make share it.
export GOFLAGS += -buildvcs=false -trimpath

.PHONY: help
help: ## List the commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The demo is the server with the lab. make remove what=lab removes it.
MAIN := ./$(firstword $(wildcard cmd/demo) cmd/server)

.PHONY: run
run: ## Start the app, with its own PostgreSQL and demo data
	go run $(MAIN)

# The race detector takes several times as long. The tools run without it: they have no concurrency, which a test checks. The tests of
# pages send thousands of requests; with it only those run that are concurrent, and the cases that depend on time. The libraries that shape the text of
# PDFs and compress them are built without it: they compute for a single caller. By default a program with it sleeps for a second at
# its end.
export GORACE = atexit_sleep_ms=0
UNRACED = /e2e$$|$(SITE)|/internal/tool/
SITE = /internal/site$$|/internal/.*pages$$
RACES = Race|AtOnce|Network|Connection|WhoWait|TestEveryCase///(running|waits|COMMIT|lost|gone|down)
RACE = -race -gcflags='compress/flate=-race=false' -gcflags='github.com/go-text/typesetting/...=-race=false'

# Browser tests wait for pages, so four run at a time. The tests of pages use both processors, so they come last. The tools' tests read whole copies of this directory: go would need 26 seconds of processor time to find
# out whether their results are cached, so -count=1 skips that. make check has vetted all packages. With the default GOGC, garbage
# collection takes a tenth to a quarter of the tests' time, and there is memory to spare.
TEST = GOGC=400 go test -vet=off -timeout 30m

# The tests of the incidents and of the form lock, which run in Firefox too.
IN_BOTH = ^(TestIncidents|TestSlowAnswerIsExplained|TestBackLeadsOutOfTheApp)$$

.PHONY: test
test: ## Install what the tests need, then run them all, most with the race detector; BROWSER=chromium goes without Firefox
	BROWSER=$(or $(BROWSER),both) e2e/setup
	$(TEST) $(RACE) -p 2 $$(go list ./... | grep -vE '$(UNRACED)')
	$(TEST) $(RACE) -run '$(RACES)' $$(go list ./internal/... | grep -E '$(SITE)')
	$(TEST) -p 2 -count=1 ./internal/tool/... $$(go list ./internal/... | grep -E '$(SITE)')
	BROWSER=chromium $(TEST) -parallel 4 ./e2e
	$(if $(filter chromium,$(BROWSER)),,BROWSER=firefox $(TEST) -parallel 4 -run '$(IN_BOTH)' ./e2e)

.PHONY: quick
quick: ## Run the fast tests: without a browser, and without the proof
	$(TEST) -p 3 -short $$(go list ./... | grep -vE '/e2e|/internal/proof')

# With another app, RUN is a pattern of incidents.
OTHER_APP = e2e/other-app try "$$APP" "$$RUN"

# Prints the result of each scenario when it ends, and a summary. The report decides whether the run has passed: in Chromium none may be
# left out.
BROWSERS = $(subst both,chromium firefox,$(subst all,both webkit,$(or $(BROWSER),chromium)))
SCENARIOS = for browser in $(BROWSERS); do BROWSER=$$browser go tool gotestsum --format testname \
	--jsonfile "e2e/report/run-$$browser.json" $(JUNIT) -- -count=1 -timeout 30m ./e2e -run "$$RUN"; done; \
	cat e2e/report/run-*.json | go run ./internal/tool/scenario/cmd/report

.PHONY: e2e
e2e: ## Run the browser tests: RUN=pattern some, BROWSER=firefox, webkit, both or all, BASE_URL=https://... a deployment, APP=file another app (docs/e2e.md)
ifdef APP
	@$(OTHER_APP)
else
	e2e/setup
	mkdir -p e2e/report && rm -f e2e/report/run-*.json
	$(SCENARIOS)
endif

.PHONY: describe
describe: ## Check the description of another app: APP=file, or write a first draft of one: URL=the address of its form
	@$(if $(URL),e2e/other-app draft "$$URL",e2e/other-app describe "$$APP")

# The archive is like a clone, with programs in place of Go and the sources. GOOS and GOARCH choose another platform.
ARCHIVE = e2e/report/onlyonce-suite.tar.gz
PACKED = $(ARCHIVE).d/onlyonce/e2e

.PHONY: suite
suite: ## Pack what tries another app where there is no Go into e2e/report/onlyonce-suite.tar.gz (docs/e2e-other-apps.md)
	rm -rf $(ARCHIVE).d && mkdir -p $(PACKED)/apps $(PACKED)/bin
	CGO_ENABLED=0 go test -c -ldflags='-s -w' -o $(PACKED)/bin/e2e.test ./e2e
	CGO_ENABLED=0 go build -ldflags='-s -w' -o $(PACKED)/bin/ ./internal/tool/scenario/cmd/report cmd/test2json
	cp e2e/without-go $(PACKED)/bin/go
	cp -p e2e/other-app e2e/setup e2e/.npmrc e2e/package.json e2e/package-lock.json $(PACKED)/
	cp -r e2e/typescript $(PACKED)/
	cp e2e/apps/app.schema.json e2e/apps/little.json $(PACKED)/apps/
	cp LICENSE docs/e2e-other-apps.md $(PACKED)/..
	tar -C $(ARCHIVE).d -czf $(ARCHIVE) onlyonce && rm -rf $(ARCHIVE).d

.PHONY: verdicts
verdicts: ## Run the incidents against well-known apps: APPS="rails django", RUN=pattern some of them, WRITE=1 docs/verdicts.md
	@e2e/verdicts $(APPS)

.PHONY: e2e-report
e2e-report: JUNIT = --junitfile "e2e/report/$${browser\#chromium}junit.xml"
e2e-report: ## The same, with a page to look at: e2e/report/index.html, and junit.xml
ifdef APP
	@$(OTHER_APP)
else
	e2e/setup
	rm -rf e2e/report && mkdir -p e2e/report/stories
	export E2E_REPORT='$(CURDIR)/e2e/report/stories'; $(SCENARIOS) -write e2e/report
endif

# The browser opens a proxy, which reloads the pages. A changed text of a template is shown without a build: templ finds it by the
# absolute path of the compiled file, so the templates are compiled with it. Every other change restarts the app.
PAGES ?= 7331
ADDR  ?= 127.0.0.1:8080

.PHONY: dev
dev: ## Start the app at http://127.0.0.1:7331, and again on every change, and load the page again
	GOFLAGS="$(GOFLAGS) '-gcflags=./templates/...=\"-trimpath=$(CURDIR)=>$(CURDIR)\"'" \
		ADDR=$(ADDR) PUBLIC_URL=http://127.0.0.1:$(PAGES) METRICS_ADDR=off go tool templ generate -watch \
		-watch-pattern '\.(go|templ|sql|css|m?js|svg)$$' -ignore-pattern '_test\.go$$' \
		-proxy http://$(ADDR) -proxyport $(PAGES) -open-browser=false \
		-cmd "go run -ldflags=-s $(MAIN)"

.PHONY: rename
rename: ## Give the app your name: module=example.com/acme/ledger name="Acme Ledger"
	@go run ./internal/tool/fork/cmd/rename -module "$$module" -name "$$name" -slug "$$slug"

.PHONY: remove
remove: ## Remove a part that you don't need: what=lab, what=proof, what=invoices
	@go run ./internal/tool/fork/cmd/remove "$$what"

# The targets of the parts of the proof.
-include internal/proof/*/part.mk

.PHONY: check
check: ## Hold format, linter (with vet), generated code, modules and allowed imports
	go mod verify
	go tool templ generate -check
	@[ -x "$(LINT)/$(LINTER)" ] || { echo "building $(LINTER) $(LINTER_VERSION), once per machine: this takes minutes" && \
		GOBIN="$(LINT)" go install github.com/golangci/golangci-lint/v2/cmd/$(LINTER)@$(LINTER_VERSION); }
	"$(LINT)/$(LINTER)" run
	go test -count=1 ./internal/tool/check

.PHONY: generate
generate: ## Generate Go from the templates
	go tool templ generate

.PHONY: resource
resource: ## Write a new resource: name=expense fields="vendor:text,amount:money,receipt:text:unique?", with style=run as ordinary code
	@go run ./internal/tool/scaffold/cmd/scaffold resource '$(name)' '$(fields)' $(if $(plural),--plural='$(plural)') $(if $(style),--style='$(style)')

NFPM := $(CACHE)/nfpm-v2.45.0
SBOM := $(CACHE)/cyclonedx-gomod-v1.10.0
PLATFORMS ?= linux-amd64 linux-arm64 darwin-amd64 darwin-arm64

.PHONY: release
release: ## Build dist/: archives, .deb, images, lists of modules (SBOM), checksums; PLATFORMS="linux-amd64" some
	@[ -x "$(NFPM)/nfpm" ] || GOBIN="$(NFPM)" go install github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.0
	@[ -x "$(SBOM)/cyclonedx-gomod" ] || GOBIN="$(SBOM)" go install github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
	@PATH="$(NFPM):$(SBOM):$$PATH" VERSION="$$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)" \
		internal/tool/release/release $(PLATFORMS)

.PHONY: catalog
catalog: ## Update the catalog of the schema, which doctor and each start compare with the database
	go test ./internal/postgres -count=1 -run '^TestCatalogIsFresh$$' -update

.PHONY: sql
sql: ## Write testdata/*.sql anew: the SQL of each list, lookup and operation as PostgreSQL executes it
	go test -count=1 -run '^TestExecutedSQL$$' $$(grep -rl 'func TestExecutedSQL' internal | xargs -n 1 dirname | sort -u | sed 's|^|./|') -update

.PHONY: migration
migration: ## Write an empty migration with the next number: name=expenses_have_projects
	@go run ./internal/tool/scaffold/cmd/scaffold migration '$(name)'
