// Package importer loads a file of posts through the REST API: crier import.
//
//	FILE.csv ─▶ table ─┐
//	                   ├─▶ rows ─▶ chunks of ≤ 25 ─▶ senders, in parallel ─▶ journal, in order of rows
//	FILE.jsonl ─▶ lines┘          (a key each)        (within the rate limit)     FILE.results.csv
//
// The journal makes an import resumable: a row that has a line in it is done. Rows that were
// being sent when an import ended have no line, and are sent again in the same chunks under
// the same Idempotency-Keys, which crier answers with the posts it made the first time.
package importer
