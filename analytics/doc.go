// Package analytics brings events to ClickHouse and asks it about them.
//
//	topic events ─▶ Sink ─ a block each half second ─▶ ClickHouse
//	                  │                                    ▲
//	                  └─▶ takes the mark off the outbox,   │
//	                      acknowledges                  Queries ◀─ gateway
//
// An event is in the outbox until ClickHouse has it. Whatever happens on the way, it is
// delivered again: a crash anywhere repeats events and loses none, and ClickHouse counts
// each by its id once.
package analytics
