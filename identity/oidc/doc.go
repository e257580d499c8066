// Package oidc lets people sign in at issuers of OpenID Connect: the code flow with PKCE.
//
//	settings → New                    nothing is asked of the issuer
//	AuthorizeURL → discovery          at the first sign-in; where it fails, that sign-in alone is refused
//	browser at the issuer → Finish    code → token → signature, issuer, audience, time, nonce
//	                                  → claims, of the token or else of userinfo → people.Testimony
//
// What binds an answer to the browser that asked follows from a secret of that browser (people.Secret).
package oidc
