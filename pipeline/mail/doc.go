// Package mail sends mail by SMTP: what stores have put into the table mails, in the transaction of what it tells of.
//
//	a fact, as an invitation ─▶ mails ─▶ claimed ─▶ written: what it says now, links made for it ─▶ sent ─▶ told
//	events, as post.failed ─▶ a note ─▶ mails of the members who want it
//
// Each process with the role notify takes one mail after the other. A mail whose sending is not known to have
// succeeded is sent again, so one may come twice.
package mail
