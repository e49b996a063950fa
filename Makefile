# make check is what CI runs. The tools are in tools/go.mod, apart from the
# product's dependencies.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
TOOL        := go tool -modfile=tools/go.mod
FUZZTIME    ?= 30s
TESTFLAGS   ?=
# ./... passes over folders of this name; the one at the top is a package.
PACKAGES    := ./... ./testdata

# Golden files and generated documents are compared, never rewritten, unless
# generate asks for it.
unexport UPDATE

# The laws draw the same cases in every run of CI; RAPID_SEED=0 draws others.
export RAPID_SEED ?= 1

.PHONY: all check vet staticcheck fmt fix tidy test docs build generate fuzz bench cover clean
all: build

check: vet staticcheck fmt fix tidy test docs

vet:
	go vet $(PACKAGES)

staticcheck:
	$(TOOL) staticcheck $(PACKAGES)

# gofumpt lists the files that it would change.
fmt:
	@files="$$($(TOOL) gofumpt -l . testdata)"; \
	if [ -n "$$files" ]; then echo "not formatted (run: $(TOOL) gofumpt -w . testdata):"; echo "$$files"; exit 1; fi

fix:
	go fix -diff $(PACKAGES)

tidy:
	go mod tidy -diff
	cd tools && go mod tidy -diff

test:
	go test -race $(TESTFLAGS) ./...

# The generated documents are golden files: a stale one fails its test. Here it
# is told apart from the other tests.
docs:
	@go test -count=1 -run 'Docs|Markdown|States' ./diff ./internal/verdict ./cmd/... || \
	{ echo "a generated document is stale: run make generate and review what changed"; exit 1; }

generate:
	UPDATE=1 go test -count=1 -run 'Docs|Markdown|States' ./diff ./internal/verdict ./cmd/...

build:
	mkdir -p bin
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o bin/ ./cmd/...

# Each fuzz target of each package for FUZZTIME; -fuzz takes one target.
fuzz:
	@for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg; \
		done; \
	done

bench:
	go test -run '^$$' -bench . -benchmem ./...

cover:
	go test -coverprofile=cover.out -coverpkg=./... ./...
	go tool cover -func=cover.out | tail -1

clean:
	rm -rf bin cover.out
