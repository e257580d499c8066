// Package worker runs every stage that calls somebody: a platform, a receiver.
//
//	topic ─▶ fair queue ─▶ slot ─▶ turn ─▶ claim ─▶ ack ─▶ Do ─▶ store
//	         by key, in    by       before   one       │     one     what came of it,
//	         turn by       class,   the      trip for  │     step    or the claim
//	         workspace     server   claim    a batch   │             given back
//	                                                   └─ refused: an old or repeated message, dropped
//
// While a step fetches media, in a slot of a Pool, its own slot serves others.
//
// A stop has three phases: nothing is claimed any more; once the drain is over, running
// steps are cancelled and their claims given back; a few seconds later nothing is stored
// any more. Claims are sent under the context of the last phase: one whose answer was cut
// off would stay open without anybody working on it.
package worker
