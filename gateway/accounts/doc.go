// Package accounts is the resource of connected accounts and of the brands that group them:
// connecting by credentials that a caller has, health as the platform says it, disconnecting.
package accounts
