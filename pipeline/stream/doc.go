// Package stream is crier's log: topics, producing and consuming by key, over the
// Kafka protocol. It is the only user of kafka-go, and works alike with the embedded
// broker and with Apache Kafka.
//
//	Produce ──▶ one queue a partition ──▶ one request at a time, acks=all ──▶ topic
//	                                                                            │
//	deliver ◀── room? ◀── one long poll a partition ◀───────────────────────────┘
//	   │
//	   ▼
//	stage … Ack ──▶ window: lowest unacknowledged offset ──▶ commit every 200 ms
//
// # What holds
//
// Delivery is at least once: a message that is not acknowledged is delivered again, to
// whichever member owns its partition by then. kafka-go has no idempotent producer, and a
// write whose answer was lost is repeated, so the log may hold duplicates; the stage's
// claim in PostgreSQL fails for the second one.
//
// The messages of one key are in one partition and are delivered in the order they were
// written. Records of one call, or of one call after another, keep their order.
//
// The log is not the source of truth, PostgreSQL is: the log may be emptied at any moment.
// A consumer whose committed offset is outside the log continues at the earliest message,
// and topics that vanish are created again.
package stream
