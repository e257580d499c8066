// Package connectors holds the contract of a platform's connector and what all
// connectors share.
//
//	bluesky … youtube                     a package a platform: its Description and its connector
//	google, graph                         what the connectors of Google's and of Meta's platforms share
//	egress, listing, media, oauth, page   what all may use
//	catalog                               the list of platforms: a line each
//	simulators                            all that imitates, and the contract as tests: see there
//
// Every call to a platform takes the same way through a Client:
//
//	Call → limiter → breaker → exchange (package egress) → answer → out, or *schema.Error
//	       account,  server                                 read, bounded,
//	       app                                              judged
//
// The limiter and the breaker delay a call by at most a second: a longer wait is a
// RateLimited error, and the pipeline calls again later. What an answer meant is decided
// in one place (answer.go); a platform only adds what is special to it.
//
// A call that makes an entry visible is sent at most once: the client neither repeats
// it nor lets net/http do so, and an answer that did not arrive whole is Unknown.
//
// The Vault seals the credentials of accounts for storage.
package connectors
