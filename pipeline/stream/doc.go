// Package stream is crier's log: topics, writing and keyed consumption
// over the Kafka protocol. It is the only user of kafka-go, and the same for the
// embedded broker and for Apache Kafka.
//
//	Produce ──▶ one queue a partition ──▶ one request at a time, acks=all ──▶ topic
//	                                                                            │
//	deliver ◀── room? ◀── one long poll a partition ◀───────────────────────────┘
//	   │
//	   ▼
//	stage … Ack ──▶ window: lowest unfinished offset ──▶ commit every 200 ms
//
// # What holds
//
// A message is handed out at least once: until it is acknowledged it is handed out
// again, to whoever owns its partition then. The protocol's client has no idempotent
// producer, and a write whose answer was lost is written again, so the log repeats;
// stages recognise a repetition by the claim that fails.
//
// The messages of one key are in one partition and are handed out in the order they
// were written. What is written in one call, or in one call after another, keeps its
// order.
//
// The log is work, not truth: it may be emptied at any moment. A consumer whose
// committed offset is outside what is there goes on at the earliest message, and
// topics that vanish are made again.
package stream
