#!/usr/bin/env bash
# Runs a command beside a fresh Apache Kafka, whose address the command finds in
# CRIER_TEST_KAFKA, and exits as the command does:
#
#	scripts/kafka.sh go test ./pipeline/...
#
# For commands that kill the broker, CRIER_TEST_KAFKA_FOLDER holds broker.pid, data/ and
# start, which starts it again on what is left of its data.
#
# Kafka comes through Maven, once, into the cache folder. KAFKA_PORT chooses its port.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/cache.sh"

version=4.3.1 # the same as in kafka.pom.xml
libs="$(cache_dir)/kafka-$version"

if [ $# = 0 ]; then
	echo "usage: $0 COMMAND [ARGUMENT…]" >&2
	exit 2
fi

say() { echo "kafka: $*" >&2; }

work="$(mktemp -d)"
finish() {
	code=$?
	trap - EXIT
	if [ -f "$work/broker.pid" ]; then
		broker="$(cat "$work/broker.pid")"
		kill "$broker" 2>/dev/null || true
		for _ in $(seq 100); do
			kill -0 "$broker" 2>/dev/null || break
			sleep 0.1
		done
		kill -9 "$broker" 2>/dev/null || true
	fi
	rm -rf "$work"
	exit "$code"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

install() {
	for tool in java mvn; do
		command -v "$tool" >/dev/null || { say "$tool is missing: Apache Kafka needs Java 17 or later and Maven"; exit 1; }
	done
	say "downloading Apache Kafka $version (about 45 MB, once)"
	mkdir -p "$(dirname "$libs")"
	local fresh
	fresh="$(mktemp -d "$libs.XXXXXX")"
	if ! mvn -B -ntp -q --strict-checksums -f "$here/kafka.pom.xml" \
		org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
		-DincludeScope=runtime -DoutputDirectory="$fresh" >&2; then
		rm -rf "$fresh"
		exit 1
	fi
	chmod a+rx "$fresh"
	mv "$fresh" "$libs" # whole or not at all
}

# A port below those that the kernel gives to outgoing connections, and unused.
free_port() {
	local port
	while :; do
		port=$((15000 + RANDOM % 17000))
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
	done
}

start() {
	cat >"$work/server.properties" <<-EOF
		process.roles=broker,controller
		node.id=1
		controller.quorum.voters=1@127.0.0.1:$2
		listeners=PLAINTEXT://127.0.0.1:$1,CONTROLLER://127.0.0.1:$2
		advertised.listeners=PLAINTEXT://127.0.0.1:$1
		controller.listener.names=CONTROLLER
		listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
		inter.broker.listener.name=PLAINTEXT
		log.dirs=$work/data
		offsets.topic.replication.factor=1
		offsets.topic.num.partitions=8
		transaction.state.log.replication.factor=1
		transaction.state.log.min.isr=1
		share.coordinator.state.topic.replication.factor=1
		share.coordinator.state.topic.min.isr=1
		broker.session.timeout.ms=6000
		broker.heartbeat.interval.ms=500
		group.initial.rebalance.delay.ms=0
		auto.create.topics.enable=false
		num.network.threads=2
		num.io.threads=4
		log.cleaner.dedupe.buffer.size=16777216
	EOF
	cat >"$work/start" <<-EOF
		#!/usr/bin/env bash
		set -euo pipefail
		if [ ! -d "$work/data" ]; then
			java -Xmx128m -XX:TieredStopAtLevel=1 -cp "$libs/*" kafka.tools.StorageTool \\
				format -t crierKafkaForTests00AA -c "$work/server.properties" >>"$work/log" 2>&1
		fi
		java -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xss512k -XX:ReservedCodeCacheSize=64m \\
			-XX:MaxDirectMemorySize=128m -cp "$libs/*" kafka.Kafka "$work/server.properties" >>"$work/log" 2>&1 </dev/null &
		echo \$! >"$work/broker.pid"
	EOF
	chmod +x "$work/start"
	"$work/start" || { cat "$work/log" >&2; exit 1; }
}

[ -d "$libs" ] || install
(cd "$here/.." && go build -o "$work/kafkaready" ./scripts/kafkaready)
port="${KAFKA_PORT:-$(free_port)}"
start "$port" "$(free_port)"
if ! "$work/kafkaready" "127.0.0.1:$port"; then
	tail -n 20 "$work/log" >&2
	exit 1
fi
say "Apache Kafka $version takes requests at 127.0.0.1:$port"
CRIER_TEST_KAFKA="127.0.0.1:$port" CRIER_TEST_KAFKA_FOLDER="$work" "$@"
