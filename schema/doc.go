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
// Delivery.After is that state machine, as a pure function of a step's outcome.
//
// The files:
//
//	who          workspace (plan, usage, subscription), key, account (and how it ends), renewal
//	what         post, target (receipts, first comments, states), media (and uploads), queue
//	where to     platform (and its constraints); package validation holds content against them
//	the machine  delivery (what a step is given), result (After), look (the answer was lost),
//	             late (it came late), blocked (nothing may be called), retry
//	on the way   topics (jobs and messages), event, summary (what events say), webhook
//	afterwards   attempt (the timeline), operation (holds, dead letters, what is observed)
//	everywhere   id, error, openapi
package schema
