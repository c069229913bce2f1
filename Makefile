# Versions of tools. `go run` fetches and caches them, so that go.mod contains only
# dependencies of the program.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GO_LICENSES = github.com/google/go-licenses@v1.6.0
NFPM = github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.1

# As scripts/build.sh: the tests, the vetted packages and the program then share what is compiled.
export GOFLAGS := $(strip -trimpath $(GOFLAGS))

# Inputs for each fuzz target. With a time instead, Go before 1.27 can fail at the end
# (go.dev/issue/75804).
FUZZTIME = 20000x

# Environment for compiling the Go code of the GPU engine. cuda.h in the first directory
# adapts the headers of CUDA 13; the second directory is that of the toolkit.
CUDA = CGO_ENABLED=1 CGO_CFLAGS="-O2 -I$(CURDIR)/device/compat -I$$(scripts/cuda-headers.sh)"

.PHONY: help build test race noasm vet fmt-check staticcheck shellcheck cross arm64 fuzz bench clean
.PHONY: fetch-cuda kernels kernels-check vet-cuda staticcheck-cuda gpu-build
.PHONY: emulation test-emulated third-party up-to-date install uninstall deb rpm package-test container-test

# Where install puts the files; DESTDIR comes before PREFIX.
PREFIX = /usr/local
DESTDIR =

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' Makefile

build: ## build build/graph500, with the GPU engine if cuda.h is found
	scripts/build.sh

up-to-date:
	@if scripts/build.sh --stale; then scripts/build.sh; fi

install: up-to-date ## install program, manual page, completions, job scripts (PREFIX, DESTDIR)
	scripts/install.sh '$(DESTDIR)' '$(PREFIX)'

uninstall: up-to-date ## remove what install has put there (PREFIX, DESTDIR)
	scripts/uninstall.sh '$(DESTDIR)' '$(PREFIX)'

deb: ## make the Debian package, in build/package
rpm: ## make the RPM package, in build/package
deb rpm: up-to-date
	rm -rf build/package/$@
	scripts/install.sh build/package/$@ /usr
	scripts/package.sh $@ $(NFPM)

# One after the other, or both would compile nfpm.
package-test: ## make both packages twice, install, run and remove them (root, dpkg, rpm, man)
	rm -rf build/package build/package.first
	$(MAKE) deb
	$(MAKE) rpm
	mv build/package build/package.first
	$(MAKE) deb
	$(MAKE) rpm
	diff -r build/package.first build/package
	rm -rf build/package.first
	scripts/package-test.sh

container-test: ## follow packaging/Containerfile without a container engine (root, debootstrap)
	scripts/container-test.sh

test: ## run all tests, with the GPU engine if cuda.h is found; those that need a GPU skip without one
	if scripts/cuda-headers.sh >/dev/null 2>&1; then $(CUDA) go test -tags cuda -timeout 20m ./...; else go test -timeout 20m ./...; fi

# Packages of the build without CUDA that start goroutines, or have others start them. Tests of
# the scripts start programs; the loops of the others that are left out run in tests of cpu,
# graph and graph500/run, too.
CONCURRENT = $$(go list -e -f '{{if or .GoFiles .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' \
	$$(grep -rlE '^[[:space:]]*go (func|[a-z])|\.Go\(|graph500/(parallel|cluster)"' --include='*.go' --exclude-dir=build . | sed 's,/[^/]*$$,,' | sort -u | grep -vE '^./(scripts|kronecker|memory|scaling|conformance|techniques|gpu|device.*|kernels/.*|graph500/(commands|programtest))$$'))

# With plain Go code instead of assembly, whose accesses the detector does not see; then what compares the forms.
race: ## run the short tests of packages with goroutines under the race detector (needs a C compiler)
	CGO_ENABLED=1 go test -race -short -tags noasm -timeout 30m $(CONCURRENT)
	CGO_ENABLED=1 go test -race -short -run Forms ./cpu ./graph ./validate

noasm: ## run the short tests of plain Go code instead of assembly in packages that race leaves out
	go test -tags noasm -short -timeout 20m ./kronecker ./vector

vet: ## run go vet
	go vet ./...

fmt-check: ## list the files that gofmt would change
	@files=$$(gofmt -l .) && if [ -n "$$files" ]; then echo "not formatted with gofmt:"; echo "$$files"; exit 1; fi

staticcheck: ## run staticcheck
	go run $(STATICCHECK) ./...

shellcheck: ## run shellcheck on the scripts
	shellcheck run.sh .ci/run scripts/*.sh scripts/*.sbatch

# On Linux, the tests are the same for both processors.
cross: ## compile the program for other systems, and the tests for one of them
	GOOS=darwin GOARCH=arm64 go vet ./...
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -o /dev/null ./graph500
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go build -o /dev/null ./graph500

arm64: ## run the program for arm64 under an emulator (qemu-user, libc6-arm64-cross)
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -o build/arm64/graph500 ./graph500
	qemu-aarch64 -L /usr/aarch64-linux-gnu build/arm64/graph500 -scale=10 -kernel=both >build/arm64/report
	qemu-aarch64 -L /usr/aarch64-linux-gnu build/arm64/graph500 strategies -scale=8 >>build/arm64/report

fetch-cuda: ## unpack nvcc 11.8, ptxas 12.4 and CUDA headers into build/cuda (Debian 12)
	scripts/fetch-cuda.sh

kernels: ## compile the .cu files to the embedded files (nvcc 11.8, ptxas 12.4)
	scripts/kernels.sh

# Tests that wait for processes come first.
kernels-check: ## fail if the embedded files differ from the output of the sources
	nice scripts/kernels.sh --check

emulation: ## build the emulated GPU into build/emulation (g++)
	scripts/emulation.sh

test-emulated: ## run the short tests of the GPU packages on the emulated GPU
	scripts/emulation-test.sh

vet-cuda: ## run go vet with the GPU engine
	$(CUDA) go vet -tags cuda ./...

staticcheck-cuda: ## run staticcheck with the GPU engine
	$(CUDA) go run $(STATICCHECK) -tags cuda ./...

third-party: ## write THIRD_PARTY.md, the licences of dependencies (after fetch-cuda)
	scripts/third-party.sh $(GO_LICENSES)

gpu-build: ## build program and tests for scripts/gpu-test.sh into build/gpu
	scripts/gpu-build.sh

fuzz: ## run every fuzz target for FUZZTIME (20000x)
	scripts/fuzz.sh $(FUZZTIME)

bench: ## run the benchmarks of the packages
	go test -run '^$$' -bench . -benchmem ./...

clean: ## remove build/
	rm -rf build
