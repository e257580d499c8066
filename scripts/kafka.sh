#!/usr/bin/env bash
# Runs a command beside a fresh Apache Kafka, whose address the command finds in
# CRIER_TEST_KAFKA, and exits as the command does:
#
#	scripts/kafka.sh go test ./pipeline/...
#
# It has secured listeners as well: CRIER_TEST_KAFKA_FOLDER holds the certificates, and the
# address of each in listener.NAME. The one named sasl is TLS and asks for the user crier with
# the password secret, mutual is TLS and asks for a certificate, expired has one that is
# expired.
#
# For commands that kill the broker, CRIER_TEST_KAFKA_FOLDER holds broker.pid, data/ and
# start, which starts it again on what is left of its data.
#
# With --libs alone it starts nothing and says where Apache Kafka's jars are.
#
# Kafka comes through Maven, once, into the cache folder. KAFKA_PORT chooses its port.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/cache.sh"

version=4.3.1 # the same as in kafka.pom.xml
libs="$(cache_dir)/kafka-$version"

if [ $# = 0 ]; then
	echo "usage: $0 COMMAND [ARGUMENT…] | --libs" >&2
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

# listener names a secured listener at a port, with its certificate.
listener() {
	echo "127.0.0.1:$2" >"$work/listener.$1"
	(umask 077 && cat "$work/certificates/$3-key.pem" "$work/certificates/$3.pem" >"$work/certificates/$1-keystore.pem")
	cat >>"$work/server.properties" <<-EOF
		listener.name.$1.ssl.keystore.type=PEM
		listener.name.$1.ssl.keystore.location=$work/certificates/$1-keystore.pem
		listener.name.$1.ssl.truststore.type=PEM
		listener.name.$1.ssl.truststore.location=$work/certificates/ca.pem
	EOF
}

start() {
	cat >"$work/server.properties" <<-EOF
		process.roles=broker,controller
		node.id=1
		controller.quorum.voters=1@127.0.0.1:$2
		listeners=PLAINTEXT://127.0.0.1:$1,CONTROLLER://127.0.0.1:$2,SASL://127.0.0.1:$3,MUTUAL://127.0.0.1:$4,EXPIRED://127.0.0.1:$5
		advertised.listeners=PLAINTEXT://127.0.0.1:$1,SASL://127.0.0.1:$3,MUTUAL://127.0.0.1:$4,EXPIRED://127.0.0.1:$5
		controller.listener.names=CONTROLLER
		listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL:SASL_SSL,MUTUAL:SSL,EXPIRED:SSL
		listener.name.sasl.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
		listener.name.sasl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_crier="secret";
		listener.name.sasl.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
		listener.name.sasl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
		listener.name.mutual.ssl.client.auth=required
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
	listener sasl "$3" server
	listener mutual "$4" server
	listener expired "$5" expired
	cat >"$work/start" <<-EOF
		#!/usr/bin/env bash
		set -euo pipefail
		if [ ! -d "$work/data" ]; then
			java -Xmx128m -XX:TieredStopAtLevel=1 -cp "$libs/*" kafka.tools.StorageTool \\
				format -t crierKafkaForTests00AA -c "$work/server.properties" \\
				--add-scram 'SCRAM-SHA-256=[name=crier,password=secret]' \\
				--add-scram 'SCRAM-SHA-512=[name=crier,password=secret]' >>"$work/log" 2>&1
		fi
		java -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xss512k -XX:ReservedCodeCacheSize=64m \\
			-XX:MaxDirectMemorySize=128m -cp "$libs/*" kafka.Kafka "$work/server.properties" >>"$work/log" 2>&1 </dev/null &
		echo \$! >"$work/broker.pid"
	EOF
	chmod +x "$work/start"
	"$work/start" || { cat "$work/log" >&2; exit 1; }
}

[ -d "$libs" ] || install
if [ "$1" = --libs ]; then
	echo "$libs"
	exit
fi
(cd "$here/.." && go build -o "$work/kafkaready" ./scripts/kafkaready)
mkdir "$work/certificates"
(cd "$here/.." && go run ./scripts/certificates "$work/certificates")
port="${KAFKA_PORT:-$(free_port)}"
start "$port" "$(free_port)" "$(free_port)" "$(free_port)" "$(free_port)"
if ! "$work/kafkaready" "127.0.0.1:$port"; then
	tail -n 20 "$work/log" >&2
	exit 1
fi
say "Apache Kafka $version takes requests at 127.0.0.1:$port"
CRIER_TEST_KAFKA="127.0.0.1:$port" CRIER_TEST_KAFKA_FOLDER="$work" "$@"
