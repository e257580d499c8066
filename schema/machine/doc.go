// Package machine proves the state machine of posts by simulation: what the store's
// statements do, as small pure functions, with schema.Delivery.After deciding every
// step, on a clock and in an order of events that one seed gives. No part of crier
// imports it.
//
//	user ─ create, edit, cancel, retry ─▶ store ◀─ claim, finish ─ worker ─▶ platform
//	                                        │                        ▲
//	                                      jobs ─▶ delay ─▶ log ──────┘
//
// The log loses, repeats, delays and reorders; workers crash at any point and come back
// with or without their data folder; the platform refuses, is slow, takes what it does
// not confirm, and confirms nothing. The check watches what becomes visible, against
// what users were promised. After a day the faults stop, and everything must end.
//
// The rules of the store are switches, so that tests can plant a bug and see that some
// seed finds it. A seed that finds one tells its story, and is told again by
//
//	go test ./schema/machine -run TestSeeds -seed N -v
//
// One thing is assumed of platforms: what a call makes is there, or never will be, ten
// seconds (two settle times) after the call ended or its caller died.
package machine
