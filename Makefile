# Commands for development. The scripts in deploy/scripts do most of the work.
# `make run` and `make build` need nothing but Go.

.DEFAULT_GOAL := help

# Arguments of `make run`, for example ARGS='--listen 127.0.0.1:9000'.
ARGS ?=
# Number of proxies that `make split` starts. EMULATE=1 adds emulated model
# vendors, which need no key.
PROXIES ?= 2
EMULATE ?=
# How long each fuzz target runs.
FUZZTIME ?= 20s
# `make chaos`: repetitions of every fault, random stops of processes while a
# dependency fails, requests per second, duration of an outage, and the random
# seed. CHAOS='^TestChaosSplit/FLUSHALL' selects faults.
ROUNDS ?= 20
RATE ?= 300
OUTAGE ?= 60s
STOPS ?= 40
SEED ?=
CHAOS ?=
# Names of the agents that `make agents` runs, separated by commas. Empty means all.
AGENTS ?=
# Regular expression that selects the benchmarks of `make bench-micro`.
BENCH ?= .
# Number of records that `make bench-store` writes before it measures.
ROWS ?= 10000000
# Loads and peers that the gateway benchmarks measure. Empty means all; for
# example LOADS=chat,big PEERS=direct,explicit. QUICK=1 and PROFILE=1 are for
# work on the gateway itself.
LOADS ?=
PEERS ?=
BENCH_FLAGS = $(if $(QUICK),-keep -each 300ms) $(if $(PROFILE),-profile) -loads '$(LOADS)' -peers '$(PEERS)'

# Duration of the traffic of `make soak`.
DURATION ?= 1h

# gRPC without its trace pages, which nothing shows. They use text/template, with which the linker keeps every
# exported method. Without them, the code of a proxy takes 25 MB instead of 34. The binaries have
# no debug data, which makes the first build a sixth faster. Profiles still name functions and lines.
export GOFLAGS := $(shell go env GOFLAGS 2>/dev/null) -tags=grpcnotrace -gcflags=all=-dwarf=false -ldflags=-w

VERSION = $(or $(shell git describe --tags --always --dirty 2>/dev/null),unknown)
COMMIT = $(shell git log -1 --format='-X main.commit=%H -X main.commitTime=%cI' 2>/dev/null)
BUILD = CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION) $(COMMIT)' -o bin/
SERVICES = proxy router keyauth dashboard
# The packages whose tests write tables into docs.
DOCS_TABLES = ./pkg/apperr ./pkg/decide ./pkg/policy ./services ./services/allinone ./services/router/internal/features ./services/router/internal/enrich ./services/dashboard/internal/record ./deploy/e2e/vendors
# The packages whose tests compare results with archives of golden texts.
GOLDENS = ./pkg/decide ./services/router/internal/features ./services/proxy/internal/api $(addprefix ./services/proxy/internal/provider/,anthropic gemini registry)

.PHONY: release telemetry containers failover chart train eval-routing eval-robustness learning-curve agents clients check docs bench-ui screenshots help run build test e2e split lint ui proto proto-baseline fuzz bench bench-edge bench-revoke bench-shadow bench-overload bench-scale soak bench-store bench-tokens bench-micro chaos rollout env clean

help: ## Show this list
	@sed -n 's/^\([a-z][a-z0-9-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "  make %-16s %s\n", $$1, $$2}'

run: ## Build and start the all-in-one (ARGS='--listen ... --data ... --config ...')
	@echo "building bin/signalbox (the first build takes a few minutes)" >&2
	@$(BUILD) ./services/allinone/cmd/signalbox
	@exec bin/signalbox $(ARGS)

build: ## Build bin/signalbox and the four services
	@$(BUILD) ./services/allinone/cmd/signalbox $(foreach s,$(SERVICES),./services/$(s)/cmd/$(s))

test: ## Run all tests: unit tests with the race detector, contracts, architecture, end to end
	@deploy/scripts/test work

check: ## Build, then vet and test the packages that changed, in less than a minute (BASE=commit)
	@BASE=$(BASE) deploy/scripts/check

e2e: ## Run only the end-to-end tests
	@deploy/scripts/test ./deploy/e2e/...

clients: build ## Run the vendors' SDKs and the common frameworks against the gateway, with all cases
	@deploy/scripts/setup
	@$(BUILD) ./deploy/e2e/cmd/split
	@go test -count=1 -timeout 20m ./deploy/e2e/clients -args -bin '$(CURDIR)/bin' -all

split: build ## Start the split deployment locally: Redis, Postgres, PROXIES proxies (2); EMULATE=1 adds emulated vendors
	@go build -o .tools/split ./deploy/e2e/cmd/split
	@exec .tools/split --bin bin --proxies $(PROXIES) $(if $(EMULATE),--emulate) $(ARGS)

lint: ## Check formatting, vet, linters, contracts (lint, breaking changes, generated code) and module files
	@deploy/scripts/lint

proto: ## Regenerate the Go code of the gRPC contracts
	@deploy/scripts/proto generate

proto-baseline: ## Save the current contracts as the baseline for breaking-change checks
	@deploy/scripts/proto baseline

ui: ## Rebuild the dashboard pages from services/dashboard/ui (needs Node)
	@deploy/scripts/ui build

docs: ## Update the generated tables in docs, then render the documentation pages (needs Node)
	@UPDATE_DOCS=1 go test -count=1 -run ReferenceIsCurrent $(DOCS_TABLES)
	@deploy/scripts/ui build

goldens: ## Accept the results of all golden tests; review the changes with git diff
	@go test -count=1 $(GOLDENS) -update

screenshots: build ## Check every page in every state with axe, in both themes from 390 to 1920 px; bin/screenshots gets the pictures
	@mkdir -p bin/screenshots
	@SCREENSHOTS='$(CURDIR)/bin/screenshots' go test -count=1 -timeout 60m ./deploy/e2e/browser
	@cd services/dashboard/ui/screenshots && for f in *.png; do cp '$(CURDIR)/bin/screenshots/'"$$f" .; done

fuzz: ## Run every fuzz target for FUZZTIME (20s)
	@deploy/scripts/fuzz $(FUZZTIME)

bench: ## Compare the all-in-one with its peers, about 4 min (QUICK=1: shorter; PROFILE=1: CPU profiles)
	@deploy/scripts/setup
	@$(BUILD) ./services/allinone/cmd/signalbox ./deploy/e2e/cmd/bench
	@exec bin/bench $(BENCH_FLAGS)

bench-edge: build ## Measure the proxy of the split deployment, a few minutes (QUICK=1: one minute; PROFILE=1: CPU profiles)
	@deploy/scripts/setup
	@$(BUILD) ./deploy/e2e/cmd/bench ./deploy/e2e/cmd/split
	@exec bin/bench -split bin/split $(if $(QUICK),,-each 2s) $(BENCH_FLAGS)

bench-revoke: build ## Measure how fast created, revoked and expired keys take effect on every proxy, about a minute
	@deploy/scripts/setup
	@$(BUILD) ./deploy/e2e/cmd/bench ./deploy/e2e/cmd/split
	@exec bin/bench revoke

bench-shadow: ## p99 of served requests beside experiments at full load, relative to none
	@go test -tags bench -count=1 -run TestClientsBesideExperiments -v ./services/proxy

bench-overload: ## Measure ten times the sustainable load, and a quiet account beside a noisy one, about 80 s
	@deploy/scripts/setup
	@$(BUILD) ./services/allinone/cmd/signalbox ./deploy/e2e/cmd/bench
	@exec bin/bench overload

bench-scale: build ## Measure 1, 2 and 4 proxies behind a balancer and predict up to 100, about 4 min
	@deploy/scripts/setup
	@$(BUILD) ./deploy/e2e/cmd/bench ./deploy/e2e/cmd/split
	@exec bin/bench scale

soak: build ## Put mixed traffic with faults on the split deployment for DURATION (1h) and report what grows
	@deploy/scripts/setup
	@$(BUILD) ./deploy/e2e/cmd/bench ./deploy/e2e/cmd/split
	@exec bin/bench soak -duration $(DURATION)

bench-store: ## Fill a ledger with ROWS records (10,000,000: half an hour, 16 GB) and measure reads, writes, sizes and retention
	@deploy/scripts/setup
	@ROWS='$(ROWS)' POSTGRES_URL='$(POSTGRES_URL)' ONLY='$(ONLY)' go test -run='^$$' -bench='^Benchmark(Reading|Content|Insert)$$' -timeout=3h ./services/dashboard/internal/store

bench-ui: build ## Measure the dashboard in a browser with ROWS records (1000000), up to 40 min (PART=rows|frames|lighthouse)
	@deploy/scripts/setup
	@deploy/scripts/ui install
	@$(if $(filter-out lighthouse,$(PART)),true,deploy/scripts/ui lighthouse)
	@$(BUILD) ./deploy/e2e/cmd/benchui ./deploy/e2e/cmd/split
	@exec bin/benchui -rows $(if $(filter file,$(origin ROWS)),1000000,$(ROWS)) -part '$(PART)'

train: ## Learn the weights of the router from DATA=folder, and print how good they are
	@go run ./services/router/cmd/trainrouting -data '$(DATA)' -out services/router/internal/predict/learned.weights -subjects services/router/internal/subject/subjects.weights

eval-routing: ## Measure the shipped weights on DATA=folder (OUT=folder for the scores)
	@go run ./services/router/cmd/evalrouting -data '$(DATA)' -out '$(OUT)'

eval-robustness: ## Measure which edits of the texts of DATA=folder change decisions, by kind of text
	@go run ./services/router/cmd/evalrobustness -data '$(DATA)'

learning-curve: ## Measure what real routers learn from reported outcomes of DATA=folder, about 3 min
	@go run ./services/router/cmd/learningcurve -data '$(DATA)'

bench-tokens: ## Print the error of the token estimates by kind of text
	@deploy/scripts/bench-tokens

bench-micro: ## Run the Go benchmarks of single functions (BENCH=regexp)
	@deploy/scripts/bench '$(BENCH)'

rollout: ## Break a canary at 10 % under 20 requests/s and print how soon it is rolled back
	@SIGNALBOX_E2E_ROLLOUT_RATE=20 go test ./deploy/e2e -count=1 -v -run TestABrokenCanaryIsRolledBack

chaos: ## Inject every fault under load and reconcile the ledger after each, about 35 min (ROUNDS, STOPS, RATE, OUTAGE, SEED, CHAOS)
	@ROUNDS='$(ROUNDS)' STOPS='$(STOPS)' RATE='$(RATE)' OUTAGE='$(OUTAGE)' SEED='$(SEED)' CHAOS='$(CHAOS)' deploy/scripts/chaos

containers: ## Run docker-compose.yml for real: replace, kill and break its containers under load (ROUNDS=1, RATE=20, OUTAGE=5s)
	@ROUNDS='$(if $(filter file,$(origin ROUNDS)),1,$(ROUNDS))' RATE='$(if $(filter file,$(origin RATE)),20,$(RATE))' OUTAGE='$(if $(filter file,$(origin OUTAGE)),5s,$(OUTAGE))' CONTAINERS='$(CONTAINERS)' deploy/scripts/containers

failover: ## Kill primaries of Redis Sentinel, Redis Cluster and Postgres under load and reconcile the ledger (RATE=100)
	@RATE='$(if $(filter file,$(origin RATE)),100,$(RATE))' deploy/scripts/failover

telemetry: build ## Scrape the split deployment with a real Prometheus under load: every panel shows data, every alert fires and resolves
	@deploy/scripts/telemetry

release: ## Build archives, packages, bill of materials and checksums into dist, twice, and test them (TARGETS, VERSION)
	@TARGETS='$(TARGETS)' VERSION='$(VERSION)' deploy/scripts/release
	@TARGETS='$(TARGETS)' VERSION='$(VERSION)' deploy/scripts/release-check

chart: ## Check the Helm chart against the schemas of Kubernetes (UPDATE=1 writes its manifests, SERVER=1 installs it in an API server)
	@deploy/scripts/chart $(if $(UPDATE),-update)
	@$(if $(SERVER),deploy/scripts/chart-server)

agents: ## Let real coding agents do a task through the gateway; downloads 700 MB (AGENTS='Claude Code,Codex')
	@$(BUILD) ./services/allinone/cmd/signalbox
	@AGENTS='$(AGENTS)' deploy/scripts/agents

env: ## Write random passwords for docker compose to .env; existing passwords stay
	@deploy/scripts/env

clean: ## Remove build output; keep the data
	@rm -rf bin .tools
