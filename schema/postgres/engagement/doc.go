// Package engagement keeps what people write to accounts, as far as PostgreSQL has it, and the
// replies to it:
//
//	collection ─▶ Receive   rows of inbox, facts and webhook events
//	gateway    ─▶ Reply     a comment without a post and its job; the stage of comments publishes it
//	           ─▶ MarkRead  rows of inbox, facts
//
// Texts and authors are in ClickHouse alone.
package engagement
