// Package collection reads what became of posts and accounts on their platforms, behind
// everything else that is asked of them:
//
//	topic collect ─▶ fair queue ─▶ turn of reads ─▶ claim ─▶ a collector ─▶ facts in the outbox ─▶ Sink
//	                 by account    (what would                (one for each    and the next look
//	                               lie idle)                  thing that is read)
//
// A step that is repeated, after a crash or because its message came twice, stores the same facts
// again, which changes nothing.
package collection
