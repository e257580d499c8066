// Package analytics brings events to ClickHouse and asks it about them.
//
//	topic events ─▶ Sink ─ a block each half second ─▶ ClickHouse
//	                  │                                    ▲
//	                  └─▶ takes the mark off the outbox,   │
//	                      acknowledges                  Queries ◀─ gateway
//
// An event stays in the outbox until ClickHouse has it, and is sent again until then: a crash
// anywhere repeats events and loses none, and ClickHouse counts each once, by its id.
package analytics
