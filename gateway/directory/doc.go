// Package directory looks up the accounts and brands of a workspace, which every post names,
// without asking the database each time.
package directory
