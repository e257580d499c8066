# make run          builds crier, starts everything and publishes a demo post
# make console      the console, which make build puts into the binary from then on
# make test-console the console in headless Chromium: the ways through it, its accessibility, and its calls against the API's description
# make screenshots  pictures of every page of the console, in docs/console
# make test         every test, on the embedded parts
# make test-rules   the alerts of compose/prometheus, on Prometheus's engine
# make test-compatibility  the API's description against those of releases
# make test-deploy  the files that set crier up, by the tools that read them: images, compose, Helm, systemd
# make test-kafka   the tests that use the log, on Apache Kafka
# make test-reliability  kills, races and outages at their full size, on both logs: two hours, one of them without ClickHouse
# make test-large   chunked uploads with a kill at each step, films of 2 GB in parts and on to youtube and tiktok over cuts and kills, and the memory they take: two minutes
# make cluster      crier by role on this machine, with Apache Kafka of three brokers and a PostgreSQL standby; stays up
# make test-cluster stops and kills each process of such a cluster under 200 posts a second: six minutes
# make test-browser connecting accounts, and the walls of the sandbox, in headless Chromium; the commands of docs/connecting.md
# make fuzz         fuzzes every parser of foreign input, a minute each
# make test-api     the API against its own description, 200 examples an operation: a quarter of an hour
# make test-clients the TypeScript and the Python client, built, against the contract of all clients; needs Node and Python
# make check        everything that CI runs

GOLANGCI_LINT_VERSION := v2.15.0
OAPI_CODEGEN_VERSION := v2.8.2
TOOLS := $(CURDIR)/.tools
# Packages whose tests use the log, and those of ./compose that are about it.
LOG_PACKAGES := ./pipeline/... ./analytics/...
# One at a time: those of one Apache Kafka share its topics.
LOG_TESTS := -parallel 1 -run 'TestKills|TestTwoProcesses|Kafka'
ALL_LOG_TESTS := -parallel 1 -run 'Kills|Kafka'
# No path of this machine is in a binary, and what one clone has built is there for the next.
# nodynamic: what decodes HEIC and AVIF is in the binary, and no library of the system's.
# What is not in the binary is not compiled, nor for tests: nothing reads debuggers' symbols that are stripped, nor
# a format that gin knows and no handler uses, whose one package takes longer than any other.
TAGS := nomsgpack,nodynamic
export GOFLAGS += -trimpath -tags=$(TAGS) -gcflags=all=-dwarf=false
# What only computes, in one goroutine, is not watched by the race detector: hashing of passwords. A package
# must not be here whose code others may be linked with, as that of sync.Map: races that are none were found.
UNWATCHED := golang.org/x/crypto/argon2 golang.org/x/crypto/blake2b
WATCHED := -race $(UNWATCHED:%=-gcflags=%=-race=false)
# Vet is among what the linter runs. Some hundred binaries are linked, and nothing reads the symbols that the
# linker would write into them: stack traces and the race detector's reports stay.
TEST_FLAGS := $(WATCHED) -timeout 30m -vet=off -ldflags '-s -w'
# Which build a binary says it is, as releases are told too. Without the symbol table and
# DWARF it is a quarter smaller; stack traces stay.
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
DATE := $(shell git log -1 --format=%cI 2>/dev/null)
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.date=$(DATE)

.DEFAULT_GOAL := run
.PHONY: run console test-console screenshots build compose-plain test test-compatibility test-rules test-deploy test-kafka test-reliability test-conformance test-large test-browser cluster test-cluster fuzz bench client check-client test-clients lint check clean

include libchdb.mk

# The console is built meanwhile and shows up once it is there: nothing waits for it.
run:
	@mkdir -p bin && { nice -n 19 $(MAKE) --no-print-directory console >bin/console.log 2>&1 || cat bin/console.log >&2; } & \
	$(MAKE) --no-print-directory -j 2 build libchdb && ./bin/crier serve --demo --allow-private-webhooks --console $(CONSOLE)

CONSOLE := gateway/web/dist/app
CONSOLE_SOURCES := $(filter-out %.d.ts,$(shell find gateway/web/src gateway/web/public -type f)) gateway/web/index.html gateway/web/vite.config.ts gateway/web/tsconfig.json schema/openapi/openapi.yaml $(wildcard schema/face/*.css)

console: $(CONSOLE)/index.html

$(CONSOLE)/index.html: $(CONSOLE_SOURCES) gateway/web/node_modules/.package-lock.json
	cd gateway/web && npm run --silent build

gateway/web/node_modules/.package-lock.json: gateway/web/package.json gateway/web/package-lock.json
	cd gateway/web && npm ci --no-progress

# CRIER_TEST_CHROMIUM names another Chromium than the system's, which is installed where there is none.
test-console: build console libchdb
	cd gateway/web && npm run --silent test

screenshots:
	scripts/console/screenshots docs/console

build:
	go build -ldflags '$(LDFLAGS)' -o bin/crier ./cmd/crier

# ./compose, the longest, comes first. A process under the race detector waits a second before it
# exits unless told otherwise, and tests start hundreds.
export GORACE := atexit_sleep_ms=50
# Of the criers that tests of ./compose start, those of the most concurrent are watched by the race
# detector; the others, and the simulators, are this binary.
compose-plain test test-kafka: export CRIER_TEST_PLAIN := $(CURDIR)/bin/compose.test
compose-plain:
	go test -c -ldflags '-s -w' -o $(CRIER_TEST_PLAIN) ./compose

test: libchdb compose-plain
	go test $(TEST_FLAGS) -p 2 -parallel 6 ./compose ./...

# A module of its own: nothing of crier needs Prometheus's engine.
test-rules:
	cd scripts/rulestest && go run . ../../compose/prometheus/rules_test.yaml ../../compose/grafana/dashboards/*.json

# A module of its own too: nothing of crier needs what reads these files.
test-deploy: build
	cd scripts/deploytest && CRIER_BINARY=$(CURDIR)/bin/crier go test -count 1 ./...

# A module of its own as well: nothing of crier needs oasdiff.
test-compatibility:
	cd scripts/compatibility && go test -count 1 ./...

test-kafka: libchdb compose-plain
	scripts/kafka.sh sh -c "go test $(TEST_FLAGS) -p 1 -count 1 $(LOG_PACKAGES) && go test $(TEST_FLAGS) -count 1 $(LOG_TESTS) ./compose"

# Without the race detector, whose slowness the times measured here would be of.
test-reliability: libchdb
	CRIER_TEST_FULL=1 go test -timeout 150m -count 1 -v ./compose
	CRIER_TEST_FULL=1 scripts/kafka.sh go test -timeout 60m -count 1 -v $(ALL_LOG_TESTS) ./compose

# Without the race detector, which takes several times the memory that is measured.
test-large: libchdb
	CRIER_TEST_FULL=1 go test -timeout 30m -count 1 -v -run 'TestAChunkedUploadSurvivesKills|TestUploadsAreNeverWholeInMemory' ./compose

# CRIER_PLATFORM_DOCS names the folder with the platforms' own descriptions.
test-conformance:
	go test -tags conformance,$(TAGS) $(WATCHED) -run Conform ./connectors/...

# CLUSTER is one of its parts: calm, stops, kills, brokers, postgres. CRIER_CLUSTER_RATE is how
# many posts are sent a second.
CLUSTER := .*
cluster: build libchdb
	go build -o bin/cluster ./scripts/cluster
	./bin/cluster

test-cluster: build libchdb
	go test -tags cluster,$(TAGS) -count 1 -v -timeout 30m -run 'TestCluster/$(CLUSTER)' ./scripts/cluster

# CRIER_TEST_CHROMIUM names a Chromium that is not on the path, CRIER_TEST_SCREENSHOTS a folder for pictures.
test-browser: libchdb
	go test -tags browser,$(TAGS) -count 1 -v -run 'InChromium|AsDocumented' ./compose

# FUZZ_TIME is of each target. Findings are kept in testdata/fuzz.
FUZZ_TIME := 60s
fuzz:
	scripts/fuzz.sh $(FUZZ_TIME)

# API_EXAMPLES is how many requests are made up for each operation, beside those at its bounds.
API_EXAMPLES := 200
# Which ones are made up; another seed each time where it is empty.
API_SEED :=

test-api: build libchdb
	scripts/api/test.sh $(API_EXAMPLES) --no-color $(API_SEED:%=--seed=%)

bench: build libchdb
	./bin/crier bench create lateness

# The Go client, from the description of the API.
client:
	cd client/internal/api && go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@$(OAPI_CODEGEN_VERSION) \
		-config oapi-codegen.yaml ../../../schema/openapi/openapi.yaml

# Fails where the client is not the description's.
check-client: client
	git diff --exit-code --stat -- client

test-clients:
	scripts/clients/test.sh

lint: $(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION)
	$< run ./...

$(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION):
	GOBIN=$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv $(TOOLS)/golangci-lint $@

check: API_EXAMPLES := 4
check: lint check-client test-compatibility test-clients test-rules test-deploy test-console test-api test test-kafka

clean:
	rm -rf bin data $(CONSOLE)
