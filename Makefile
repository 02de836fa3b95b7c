# Commands for working on Query Engine; `make help` lists them. Each works in a fresh clone.

SHELL := /bin/bash
GO ?= go

PROGRAMS = gateway metadata query-executor event-delivery scheduler engine
POSTGRES = $(GO) run ./pkg/dbtest/cmd/withpostgres
# What the compiler optimises the programs of releases for. Compiling for it takes a fifth longer, so only releases and benchmarks do.
PROFILE = services/engine/bench/cpu.pprof
# Everything is built with the same flags, so that programs, tests and go vet share what is compiled.
export CGO_ENABLED = 0
export GOFLAGS := $(GOFLAGS) -trimpath
bench bench-plans bench-subscriptions bench-remote bench-events bench-metadata: export GOFLAGS += '-pgo=$(CURDIR)/$(PROFILE)'
# The compiler ends soon, so collecting its garbage saves little memory and costs a tenth of its time. -s and -w leave out what only
# debuggers read, a third of a program.
COMPILE = GOGC=off GOMEMLIMIT=1GiB $(GO) build -ldflags='-s -w'
LINT = $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.DEFAULT_GOAL := help
.PHONY: help console-record build test test-long test-unit test-later test-compose test-images test-clients test-kinds test-deploy test-googlesql release release-check release-snapshot test-release test-race lint fmt generate console console-shots console-sizes console-soak docs-check verify tidy bench bench-profile counts bench-attacks bench-plans bench-metadata bench-subscriptions bench-remote bench-code bench-events chaos chaos-live fuzz conformance run up down docker clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-19s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## all programs, into bin/
	@mkdir -p bin
	$(COMPILE) -o bin/ $(foreach p,$(PROGRAMS),./services/$(p)/cmd/$(p))

test: ## everything: unit, integration and end-to-end tests, on a real PostgreSQL and NATS
	@scripts/test

test-long: ## everything, with long random, soak and chaos tests and every scenario of the console in a browser (hours)
	@ENGINE_TEST_LONG=1 TESTFLAGS="-timeout 4h $(TESTFLAGS)" scripts/test

test-unit: ## the tests that need no database
	$(GO) test $$(scripts/unit-packages)

test-later: ## the tests that need no database, with a clock that is 400 days ahead
	scripts/later $(GO) test -vet=off $$(scripts/unit-packages) # go vet finds the same at any time

test-compose: ## docker compose from start to end, under load (minutes; skipped where Docker does not answer)
	cd services/engine && ENGINE_TEST_COMPOSE=1 $(GO) test ./e2e -run TestDockerCompose -count 1 -v -timeout 30m

test-images: ## kinds of databases on the images of their vendors (skipped, with the reason, where these can't be had)
	cd pkg && ENGINE_TEST_IMAGES=1 $(GO) test ./backend/postgres ./backend/mssql -run 'TestExerciseOn(Images|SQLServer)' -count 1 -v -timeout 30m

test-kinds: ## kinds of databases on the servers that variables name (ENGINE_TEST_CITUS_URL=..., see scripts/test-kinds); writes docs/tested.md
	@scripts/test-kinds

CLIENTS = 'TestClient|TestTools|TestDocumentation/docs/(clients|trusted-documents).md|TestApolloGateway|TestTwoEngines|TestSchemasSuitGraphQLJS|TestGraphQLOverHTTP'
test-clients: ## clients and tools that others wrote, on the Node.js of the machine and on version 22
	@for node in machine newer; do ENGINE_TEST_NODE=$$node TESTFLAGS="-run $(CLIENTS) -count 1 $(TESTFLAGS)" scripts/test ./services/engine/e2e ./services/query-executor || exit; done

test-deploy: ## the chart and the manifests for Kubernetes, against its types, and its schemas where they can be reached
	cd deploy && GOWORK=off $(GO) vet ./... && GOWORK=off $(GO) test ./...
	@scripts/kubeconform

test-googlesql: ## the statements for BigQuery, by the analyser of GoogleSQL (minutes, the first time)
	cd pkg/backend/bigquery/googlesql && GOWORK=off $(GO) vet ./... && GOWORK=off $(GO) test -count 1 ./...

release-check: ## .goreleaser.yaml, by goreleaser itself (its first build takes minutes)
	GOWORK=off GOFLAGS=-trimpath $(GO) run github.com/goreleaser/goreleaser/v2@v2.16.0 check

release: ## what a release contains, from the tag at this commit, into dist/
	@scripts/release

release-snapshot: ## what a release contains, from this commit, into dist/; images where Docker answers (minutes; no network with the modules at hand)
	@scripts/release --snapshot

test-release: release-snapshot ## installs and starts what a release contains (skipped, with the reason, where the machine can't)
	cd deploy && GOWORK=off ENGINE_TEST_RELEASE=1 $(GO) test -run 'Release' -count 1 -v .

test-race: ## everything, with the race detector (needs a C compiler)
	@CGO_ENABLED=1 TESTFLAGS="-race -timeout 80m $(TESTFLAGS)" scripts/test

lint: ## golangci-lint on every module
	@scripts/each-module $(LINT) run ./...

fmt: ## format the code
	@scripts/each-module $(LINT) fmt ./...

generate: ## code and documentation that are made from other files
	$(GO) run ./proto/cmd/generate proto
	$(GO) run ./pkg/config/cmd/configdoc > docs/configuration.md.new
	mv docs/configuration.md.new docs/configuration.md
	$(GO) run ./pkg/apierror/cmd/errordoc > docs/error-codes.md.new
	mv docs/error-codes.md.new docs/error-codes.md
	cd pkg && $(GO) test ./bus -run TestAccountsConf -update
	cp deploy/nats/accounts.conf deploy/helm/query-engine/files/
	cd deploy && GOWORK=off $(GO) run ./cmd/notices .. > ../THIRD-PARTY-NOTICES.md.new
	mv THIRD-PARTY-NOTICES.md.new THIRD-PARTY-NOTICES.md

console: ## build the console from its source, with Node (what is served is committed)
	@scripts/console

console-shots: ## takes the pictures of the console in docs/console, in a browser
	@mkdir -p docs/console
	CONSOLE_SHOTS=$(CURDIR)/docs/console $(POSTGRES) $(GO) test ./services/engine/e2e -run 'TestConsole$$' -count 1

console-sizes: ## writes how large the parts of the console are into docs/console-development.md, with Node
	@scripts/console sizes

console-record: ## records what the engine answers in the tests of the console over simulated pages, with Node (ONLY="Forms", CONSOLE_RECORD=missing)
	CONSOLE_RECORD=$(or $(CONSOLE_RECORD),1) $(POSTGRES) $(GO) test ./services/engine/e2e -run 'TestConsoleRecord$$' -count 1 -v -timeout 60m

console-pages: ## every page of the console with every fault, in a browser
	ENGINE_TEST_LONG=1 $(POSTGRES) $(GO) test ./services/engine/e2e -run 'TestConsolePages$$' -count 1 -v -timeout 40m

console-soak: ## watches the memory of a page of the console that rows are streamed into, for MINUTES (60)
	CONSOLE_SOAK=$(or $(MINUTES),60) $(POSTGRES) $(GO) test ./services/engine/e2e -run 'TestConsole$$' -count 1 -v -timeout 0

docs-check: ## runs every block of every page of the documentation (DOCS="-update" writes the answers into them)
	$(POSTGRES) $(GO) test ./services/engine/e2e -run 'TestDocumentation|TestSidebar|TestLinks' -count 1 $(DOCS)

verify: ## fail when generated files, formatting, module files or go vet are not in order
	@scripts/verify

tidy: ## go mod tidy in every module
	@scripts/each-module $(GO) mod tidy
	cd deploy && GOWORK=off $(GO) mod tidy
	cd pkg/backend/bigquery/googlesql && GOWORK=off $(GO) mod tidy

bench: build ## engine and hand-written yardsticks side by side (BENCH="-help", BENCH="-queries Q1,I100 -connections 16")
	$(GO) run ./services/engine/cmd/bench $(BENCH)
	@$(MAKE) bench-attacks

bench-profile: build ## a CPU profile of all requests of make bench, which the compiler optimises the programs for
	$(GO) run ./services/engine/cmd/bench -connections 16 -duration 3s -rounds 3 -targets one,split -profile $(PROFILE)

counts: ## what a request takes of statements, round trips, messages and allocations, against .ci/counts.json (COUNTS=-update-counts)
	$(POSTGRES) $(GO) test ./services/engine/internal/assembly -run TestCounts -count 1 $(COUNTS)

bench-attacks: ## what hostile requests cost, and a long search for the most expensive short ones
	ENGINE_TEST_LONG=1 $(POSTGRES) $(GO) test ./services/query-executor -run '^$$' -bench 'Attacks|WorstRequests' -benchtime 1x -timeout 60m

bench-plans: build ## the engine's SQL beside hand-written SQL, and ways to plan it, on a million tracks (PLANS="-runs 5")
	$(GO) run ./services/engine/cmd/benchplans $(PLANS)

bench-subscriptions: build ## what 10,000 subscribers cost, and how soon they hear of a change (SUBSCRIPTIONS="-poll", "-streams 1000 -connections 100")
	$(GO) run ./services/engine/cmd/benchsubscriptions $(SUBSCRIPTIONS)

bench-remote: build ## what a query on a remote schema costs beside a plain reverse proxy (REMOTE="-duration 20s")
	$(GO) run ./services/engine/cmd/benchremote $(REMOTE)

bench-code: ## what functions in Go cost beside the same code behind HTTP: an action, a remote join of 100 rows
	$(POSTGRES) $(GO) test ./services/engine -run '^$$' -bench Code -benchtime 3s -count 5

bench-events: ## how fast events of tables are delivered, and what their triggers cost; then the long chaos test
	cd pkg && ENGINE_BENCH_EVENTS=1 $(GO) test ./backend/postgres/eventreader -run 'TestWriterSpeed|TestReaderCost|TestLargeTransaction' -count 1 -timeout 30m -v
	cd services/engine && ENGINE_BENCH_EVENTS=1 $(GO) test ./internal/assembly -run 'TestEventSpeed|TestPublishedSpeed' -count 1 -timeout 30m -v
	cd services/engine && ENGINE_CHAOS_ROWS=20000 ENGINE_TEST_LONG=1 $(GO) test ./e2e -run 'TestEvents.*Survive|TestWhatADeadWorker' -count 1 -timeout 30m -v

chaos: ## kills, freezes, NATS without quorum, a full JetStream, a hung source, stalled readers (ENGINE_TEST_SEED=7 repeats, CHAOS="-chaos-faults 9")
	ENGINE_TEST_LONG=1 $(POSTGRES) $(GO) test ./services/engine/e2e -run TestSystemSurvives -v -count 1 -timeout 30m -args -chaos-faults 60 $(CHAOS)

chaos-live: ## random subscribers of the log, writers and faults (ENGINE_TEST_SEED=7 repeats, LIVE="-live-subscribers 9")
	ENGINE_TEST_LONG=1 $(POSTGRES) $(GO) test ./services/engine/e2e -run TestSubscribersSeeStates -v -count 1 -timeout 30m -args \
		-live-subscribers 200 -live-transactions 1000 $(LIVE)

bench-metadata: ## changes of metadata on large schemas, in services of their own
	$(POSTGRES) $(GO) test ./services/engine/e2e -run TestMetadataSpeed -metadata-speed -v -count 1 -timeout 30m

fuzz: ## every fuzz target for a while (FUZZTIME=10s)
	@scripts/fuzz

conformance: build ## the recorded cases of ../shared/conformance against bin/engine (minutes; CONFORMANCE_BODIES=corpus)
	scripts/conformance-needs
	$(POSTGRES) -local scripts/conformance $(CONFORMANCE_BODIES)

run: ## a local engine with a database of its own and sample data, in .data
	@mkdir -p bin
	@[ -x bin/engine ] || echo "downloading 120 MB of modules and compiling: about 3 minutes on two cores, the first time"
	@set -o pipefail; $(COMPILE) -v -o bin/engine ./services/engine/cmd/engine 2>&1 | scripts/progress
	@exec bin/engine dev

up: ## the services, PostgreSQL and NATS with docker compose
	@scripts/compose-version
	docker compose up --build --wait
	@docker compose logs --no-log-prefix welcome

down: ## stop what up started (data stays; docker compose down -v removes it)
	docker compose down

docker: ## the container images
	docker compose build

clean: ## remove what build, test and run made, the local database included
	rm -rf bin .data coverage.out
