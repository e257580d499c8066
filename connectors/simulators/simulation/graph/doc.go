// Package graph is what the simulators of Meta's platforms share, since the platforms share
// it: facebook, instagram and threads word errors and limits alike, and the latter two give
// out the same kind of token, ask for consent on the same page and list in the same form.
//
//	request ──▶ Versions ──▶ mux ──▶ Gate.Admit ──▶ the platform's handler ──▶ Answer, Error, List
//	                                 token, end,
//	                                 limit of calls
//
// It is written after Meta's documents alone, and shares nothing with the connectors.
package graph
