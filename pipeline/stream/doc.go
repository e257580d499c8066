// Package stream is crier's log: topics, writing and keyed consumption
// over the Kafka protocol. It is the only user of kafka-go, and the same for the
// embedded broker and for Apache Kafka.
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
// Delivery is at least once: a message that is not acknowledged is delivered again, to the
// member that owns its partition then. kafka-go has no idempotent producer, and a write
// whose answer was lost is repeated, so the log has duplicates; stages recognise one by the
// claim that fails.
//
// The messages of one key are in one partition and are delivered in the order they were
// written. Records of one call, or of one call after another, keep their order.
//
// The log is work, not truth: it may be emptied at any moment. A consumer whose committed
// offset is outside the log goes on at the earliest message, and topics that vanish are
// created again.
package stream
