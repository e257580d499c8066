// Package bench measures crier and prints one JSON line for each figure. Each comes with a
// control, measured in the same run, since a figure alone means little on a shared machine.
//
// The server, the load and the simulators are processes of their own, so that none of them
// costs another memory, locks or garbage collections. All are this binary, started again in
// the role of a worker:
//
//	bench ──┬─ worker "server"      crier serve, in a folder that is removed afterwards
//	        ├─ worker "simulators"  crier simulate
//	        ├─ worker "load"        callers of the REST API
//	        ├─ worker "pacer"       the control of lateness: a timer and a bare call
//	        ├─ worker "exchange"    the control of a herd: empty exchanges with the simulators
//	        ├─ worker "stream"      a stream of public posts, for who listens
//	        ├─ worker "reader"      the control of listening: the stream read and decoded
//	        ├─ worker "receiver"    webhooks' receivers
//	        ├─ worker "import"      crier import
//	        └─ pgbench              the control of creation, or pgx where there is none
//
// A worker reads its configuration from standard input, answers on standard output, and
// ends when its input does: with its parent, however that ends.
//
// Percentiles are of all samples, by nearest rank, and never a mean of percentiles. A history,
// webhooks and imports are measured in turns, and compared by the medians of what these came to.
package bench
