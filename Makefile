# make run          builds crier, starts everything and publishes a demo post
# make test         every test, on the embedded parts
# make test-kafka   the tests that use the log, on Apache Kafka
# make check        all that CI runs

GOLANGCI_LINT_VERSION := v2.15.0
TOOLS := $(CURDIR)/.tools
# Packages whose tests use the log.
LOG_PACKAGES := ./pipeline/... ./analytics/... ./compose/
TEST_FLAGS := -race -timeout 20m

.DEFAULT_GOAL := run
.PHONY: run build test test-kafka test-conformance bench lint check clean

include libchdb.mk

run:
	@$(MAKE) --no-print-directory -j 2 build libchdb
	./bin/crier serve --demo --allow-private-webhooks

build:
	go build -o bin/crier ./cmd/crier

test: libchdb
	go test $(TEST_FLAGS) -p 2 ./...

test-kafka: libchdb
	scripts/kafka.sh go test $(TEST_FLAGS) -p 1 -count 1 $(LOG_PACKAGES)

# CRIER_PLATFORM_DOCS names the folder with the platforms' own descriptions.
test-conformance:
	go test -race -tags conformance -run Conform ./connectors/...

bench: build libchdb
	./bin/crier bench create lateness

lint: $(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION)
	$< run ./...

$(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION):
	GOBIN=$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv $(TOOLS)/golangci-lint $@

check: lint test test-kafka

clean:
	rm -rf bin data
