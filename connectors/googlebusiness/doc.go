// Package googlebusiness publishes local posts of Google Business Profile: what a business
// location shows in Google's search and maps. Package simulator is one in small.
//
//	Prepare ─▶ look at the picture: Google fetches it itself, from its address
//	Publish ─▶ POST /v4/accounts/{a}/locations/{l}/localPosts
//	           ─┬─ LIVE ─▶ published
//	            ├─ PROCESSING ─▶ an open receipt
//	            └─ REJECTED ─▶ refused
//	            (a LIVE one may become REJECTED within hours: see Connector.TakenDown)
//	Find    ─▶ GET /v4/…/localPosts/{p} of an open receipt; GET /v4/…/localPosts of a lost answer
//
// A location belongs to an account of Google's, by which calls name it: accounts/1/locations/2
// is in Credentials.EntityID, and the location's own number, 2, is what the account of crier's
// is known by.
//
// The facts are those of the discovery documents of mybusiness v4,
// mybusinessaccountmanagement v1 and mybusinessbusinessinformation v1, and of
// developers.google.com/my-business/content (posts-data, limits).
package googlebusiness
