// Package schema is crier's domain: what posts, accounts, events and jobs are, which
// states they go through, what the topics carry. It imports the standard library alone;
// everything else imports it.
//
//	Post ─┬─ Entry, Entry, …       what is published, in order (a thread has several)
//	      └─ Target, Target, …     for whom; each goes through its steps by itself:
//
//	StepPrepare ─▶ StepPublish ─▶ receipt ─▶ next entry … ─▶ posted
//	                 │  answer lost, or the claim left open
//	                 ▼
//	              StepFind ─▶ found: receipt;  not there, twice: StepPublish again;
//	                          could not look: StepFind again, until the deadline;
//	                          nobody can tell: failed, outcome_unknown, and a retry looks first
//
// Delivery.After is that machine, as a pure function of what a step came to.
package schema
