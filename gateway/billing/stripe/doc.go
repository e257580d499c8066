// Package stripe sells plans by Stripe: a page of Stripe's takes the payment, and a signed
// notice of Stripe's says what became of it. crier sees no cards.
// What is changed later, at Stripe, is followed by its price.
//
// It is a client of Stripe's and no more: the routes below are its parent's, which knows a
// Seller and not who it is.
//
//	POST /billing/checkout ─▶ Client.Checkout ─▶ checkout session ─▶ url
//	Stripe ─▶ POST /billing/stripe ─▶ Client.Notice ─▶ schema.Subscription ─▶ plan of the workspace
package stripe
