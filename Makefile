# Versions of tools are pinned here; `go run` fetches and caches them, so that
# go.mod names only what the program is made of.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Time for each fuzz target.
FUZZTIME = 10s

.PHONY: help build test race noasm vet fmt-check staticcheck shellcheck cross fuzz bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

build: ## build build/graph500, static, with the commit in it
	scripts/build.sh

test: ## run all tests
	go test -timeout 20m ./...

race: ## run all tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 go test -race -timeout 30m ./...

noasm: ## test the plain Go code that stands behind assembly
	go test -tags noasm -timeout 20m ./kronecker ./cpu

vet: ## run go vet
	go vet ./...

fmt-check: ## name the files that gofmt would change
	@files=$$(gofmt -l .) && if [ -n "$$files" ]; then echo "not formatted with gofmt:"; echo "$$files"; exit 1; fi

staticcheck: ## run staticcheck
	go run $(STATICCHECK) ./...

shellcheck: ## run shellcheck over the scripts
	shellcheck run.sh .ci/run scripts/*.sh scripts/*.sbatch

cross: ## compile everything, tests included, for other systems
	GOOS=linux GOARCH=arm64 go vet ./...
	GOOS=darwin GOARCH=arm64 go vet ./...
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -o /dev/null ./graph500
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go build -o /dev/null ./graph500

fuzz: ## run every fuzz target for FUZZTIME (10s)
	scripts/fuzz.sh $(FUZZTIME)

bench: ## run the benchmarks of the packages
	go test -run '^$$' -bench . -benchmem ./...

clean: ## remove what was built
	rm -rf build
