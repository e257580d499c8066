// Package embedded starts the parts crier needs on one machine: PostgreSQL, a log
// that speaks Kafka's protocol and ClickHouse. Each speaks its real protocol on a
// loopback port, so nothing above this package knows the difference between an
// embedded part and one reached by URL. PostgreSQL is also reached by a Unix socket,
// the log by pipes in memory, which cost less.
//
//	crier ─┬─ Log         kfake, in this process
//	       ├─ runner      this binary again, as an unprivileged user
//	       │    └─ postgres
//	       └─ clickhouse  this binary again, with libchdb in it
//
// A child is this binary executed again with a role in its environment; Main, the
// first line of main, turns into the child if that variable is set. The child reads
// its configuration from a pipe as one line of JSON, so that no secret is in an
// argument or an environment, and writes "ready PID" to stdout. The end of the pipe
// means that the parent is gone, however it went, and the child follows it. A child that
// dies by itself is started again on its old port by its supervisor.
//
// Everything lives in one data folder, which one process at a time may hold.
package embedded
