# What a person types. Each target is one call; the work is in deploy/scripts.
# run and build need Go alone.

.DEFAULT_GOAL := help

# Arguments of `make run`, for example ARGS='--listen 127.0.0.1:9000'.
ARGS ?=
# How many proxies `make split` starts, and whether vendors that need no key.
PROXIES ?= 2
EMULATE ?=
# How long each fuzz target runs.
FUZZTIME ?= 20s
# How often `make chaos` repeats every fault, at how many requests a second, how
# long what hangs or is away stays so, and what everything random follows from.
# CHAOS='^TestChaosSplit/FLUSHALL' picks faults.
ROUNDS ?= 20
RATE ?= 300
OUTAGE ?= 60s
SEED ?=
CHAOS ?=
# Which benchmarks `make bench-micro` runs.
BENCH ?= .
# How many records `make bench-store` fills in.
ROWS ?= 10000000
# What the benchmarks of the gateway measure: all, or what is named, for example
# LOADS=chat,big PEERS=direct,explicit. QUICK=1 and PROFILE=1 are for work on it.
LOADS ?=
PEERS ?=
BENCH_FLAGS = $(if $(QUICK),-keep -each 300ms) $(if $(PROFILE),-profile) -loads '$(LOADS)' -peers '$(PEERS)'

VERSION = $(or $(shell git describe --tags --always --dirty 2>/dev/null),unknown)
BUILD = CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-X main.version=$(VERSION)' -o bin/
SERVICES = proxy router keyauth dashboard

.PHONY: bench-ui screenshots help run build test e2e split lint ui proto proto-baseline fuzz bench bench-edge bench-revoke bench-overload bench-store bench-tokens bench-micro chaos env clean

help: ## Show this list
	@sed -n 's/^\([a-z][a-z0-9-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "  make %-16s %s\n", $$1, $$2}'

run: ## Build and start the all-in-one (ARGS='--listen ... --data ... --config ...')
	@$(BUILD) ./services/allinone/cmd/signalbox
	@exec bin/signalbox $(ARGS)

build: ## Build bin/signalbox and the four services
	@$(BUILD) ./services/allinone/cmd/signalbox $(foreach s,$(SERVICES),./services/$(s)/cmd/$(s))

test: ## Prove the tree: unit with the race detector, contracts, architecture, end to end
	@deploy/scripts/test work

e2e: ## Only the end-to-end suite
	@deploy/scripts/test ./deploy/e2e/...

split: build ## Start the split shape on this machine: Redis, Postgres, PROXIES proxies (2), with EMULATE=1 emulated vendors
	@go build -o .tools/split ./deploy/e2e/cmd/split
	@exec .tools/split --bin bin --proxies $(PROXIES) $(if $(EMULATE),--emulate) $(ARGS)

lint: ## Format, vet, linters, contracts (lint, breaking, drift), module files
	@deploy/scripts/lint

proto: ## Regenerate the Go code of the contracts
	@deploy/scripts/proto generate

proto-baseline: ## Accept the present contracts as what later ones must not break
	@deploy/scripts/proto baseline

ui: ## Rebuild the dashboard's pages out of services/dashboard/ui (needs Node)
	@deploy/scripts/ui build

screenshots: build ## Make the pictures of README anew; every page in every state goes to bin/screenshots
	@mkdir -p bin/screenshots
	@SCREENSHOTS='$(CURDIR)/bin/screenshots' go test -count=1 ./deploy/e2e/browser
	@cd services/dashboard/ui/screenshots && for f in *.png; do cp '$(CURDIR)/bin/screenshots/'"$$f" .; done

fuzz: ## Run every fuzz target for FUZZTIME each (20s)
	@deploy/scripts/fuzz $(FUZZTIME)

bench: ## Measure the all-in-one beside its peers, in about 90 s (QUICK, PROFILE, LOADS, PEERS as below)
	@deploy/scripts/setup
	@$(BUILD) ./services/allinone/cmd/signalbox ./deploy/e2e/cmd/bench
	@exec bin/bench $(BENCH_FLAGS)

bench-edge: build ## Measure the proxy of the split shape, in a few minutes (QUICK=1: one; PROFILE=1: CPU profiles)
	@deploy/scripts/setup
	@$(BUILD) ./deploy/e2e/cmd/bench ./deploy/e2e/cmd/split
	@exec bin/bench -split bin/split $(if $(QUICK),,-each 2s) $(BENCH_FLAGS)

bench-revoke: build ## Measure how soon a new, a revoked and an expired key are known everywhere, in about a minute
	@deploy/scripts/setup
	@$(BUILD) ./deploy/e2e/cmd/bench ./deploy/e2e/cmd/split
	@exec bin/bench revoke

bench-overload: ## Measure ten times what the gateway can take, and a quiet account beside a noisy one, in about 80 seconds
	@deploy/scripts/setup
	@$(BUILD) ./services/allinone/cmd/signalbox ./deploy/e2e/cmd/bench
	@exec bin/bench overload

bench-store: ## Fill a ledger with ROWS records (10,000,000: a few minutes, 10 GB) and measure how it is read and written
	@deploy/scripts/setup
	@ROWS='$(ROWS)' go test -run='^$$' -bench='^Benchmark(Reading|Insert)$$' -timeout=1h ./services/dashboard/internal/store

bench-ui: build ## Measure the dashboard's request log in a browser, over ROWS records (1000000), in a few minutes
	@deploy/scripts/setup
	@deploy/scripts/ui install
	@$(BUILD) ./deploy/e2e/cmd/benchui ./deploy/e2e/cmd/split
	@exec bin/benchui -rows $(if $(filter file,$(origin ROWS)),1000000,$(ROWS))

bench-tokens: ## Print how far the estimates of tokens are off, by kind of text
	@deploy/scripts/bench-tokens

bench-micro: ## Run the benchmarks of single functions and print their figures (BENCH=regexp)
	@deploy/scripts/bench '$(BENCH)'

chaos: ## Break every part under load, compare the books after each fault, in half an hour (ROUNDS, RATE, OUTAGE, SEED, CHAOS)
	@ROUNDS='$(ROUNDS)' RATE='$(RATE)' OUTAGE='$(OUTAGE)' SEED='$(SEED)' CHAOS='$(CHAOS)' deploy/scripts/chaos

env: ## Write random passwords for docker compose into .env (adds what is missing, changes nothing)
	@deploy/scripts/env

clean: ## Remove what was built, not the data
	@rm -rf bin .tools
