# What a person types. Each target is one call; the work is in deploy/scripts.
# run and build need Go alone.

.DEFAULT_GOAL := help

# Arguments of `make run`, for example ARGS='--listen 127.0.0.1:9000'.
ARGS ?=
# How many proxies `make split` starts.
PROXIES ?= 2
# How long each fuzz target runs.
FUZZTIME ?= 20s
# How often `make chaos` repeats every test that kills a process.
ROUNDS ?= 20
# Which benchmarks `make bench-micro` runs.
BENCH ?= .
# What the benchmarks of the gateway measure: all, or what is named, for example
# LOADS=chat,big PEERS=direct,explicit. QUICK=1 and PROFILE=1 are for work on it.
LOADS ?=
PEERS ?=
BENCH_FLAGS = $(if $(QUICK),-keep -each 300ms) $(if $(PROFILE),-profile) -loads '$(LOADS)' -peers '$(PEERS)'

VERSION = $(or $(shell git describe --tags --always --dirty 2>/dev/null),unknown)
BUILD = CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-X main.version=$(VERSION)' -o bin/
SERVICES = proxy router keyauth dashboard

.PHONY: help run build test e2e split lint proto proto-baseline fuzz bench bench-edge bench-revoke bench-micro chaos env clean

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

split: build ## Start the split shape on this machine: Redis, Postgres, PROXIES proxies (2)
	@go build -o .tools/split ./deploy/e2e/cmd/split
	@exec .tools/split --bin bin --proxies $(PROXIES) $(ARGS)

lint: ## Format, vet, linters, contracts (lint, breaking, drift), module files
	@deploy/scripts/lint

proto: ## Regenerate the Go code of the contracts
	@deploy/scripts/proto generate

proto-baseline: ## Accept the present contracts as what later ones must not break
	@deploy/scripts/proto baseline

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

bench-micro: ## Run the benchmarks of single functions and print their figures (BENCH=regexp)
	@deploy/scripts/bench '$(BENCH)'

chaos: ## Repeat the tests that kill processes, ROUNDS times each (20)
	@deploy/scripts/test -count=$(ROUNDS) -timeout=1h -run='Kill|Crash|Chaos' work

env: ## Write random passwords for docker compose into .env (adds what is missing, changes nothing)
	@deploy/scripts/env

clean: ## Remove what was built, not the data
	@rm -rf bin .tools
