// Package machine tests the state machine of posts by deterministic simulation. It models
// what the store's statements do as small functions, uses the real schema.Delivery.After to
// decide every step, and takes the clock and the order of events from one seed. No part of
// crier imports it.
//
//	user ─ create, edit, cancel, retry ─▶ store ◀─ claim, finish ─ worker ─▶ platform
//	                                        │                        ▲
//	                                      jobs ─▶ delay ─▶ log ──────┘
//
// The log loses, repeats, delays and reorders messages; workers crash at any point and come
// back with or without their data folder; platforms refuse, are slow, publish without an
// answer, or do not publish at all. The check compares what becomes visible with what users
// were promised. After a day the faults stop, and every post must come to its end.
//
// The rules of the store are switches, so that tests can plant a bug and see that some seed
// finds it. When a seed breaks a promise, the test prints the events that led to it; all of
// them are printed by
//
//	go test ./schema/machine -run TestSeeds -seed N -v
//
// One thing is assumed of platforms: ten seconds (two settle times) after a call ended or its
// caller died, what the call makes is either visible or never will be.
package machine
