// Package bench measures crier and prints one JSON line for each figure, beside a control
// of the same run: on a shared machine a figure alone means nothing.
//
// What is measured, what loads it and what it calls are processes of their own, so that
// none of them takes memory, locks or garbage collections from another. All are this
// binary, started again in the role of a worker:
//
//	bench ──┬─ worker "server"      crier serve, in a folder that is removed afterwards
//	        ├─ worker "simulators"  crier simulate
//	        ├─ worker "load"        callers of the REST API
//	        ├─ worker "pacer"       the control of lateness: a timer and a bare call
//	        ├─ worker "exchange"    the control of a herd: empty exchanges with the simulators
//	        └─ pgbench              the control of creation, or pgx where there is none
//
// A worker reads its configuration from standard input, answers on standard output, and
// ends when its input does: with its parent, however that ends.
//
// Times of many are given by nearest rank over all samples, never as a mean of ranks.
package bench
