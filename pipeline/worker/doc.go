// Package worker is the body of every stage that calls somebody: a platform, a receiver.
//
//	topic ─▶ fair queue ─▶ turn ─▶ claim ─▶ ack ─▶ Do ─▶ store
//	         by key, in    before   one       │     one     what came of it,
//	         turn by       the      trip for  │     step    or the claim
//	         workspace     claim    a batch   │             given back
//	                                          └─ refused: an old or repeated message, dropped
//
// A stop ends it in three phases: nothing is claimed any more; once the drain is over, steps
// that still run are cut and their claims given back; a few seconds later nothing is stored
// any more. A claim is sent under the last of these alone: one whose answer was cut off
// would be open, and worked on by nobody.
package worker
