// Package password hashes and checks the passwords of people.
package password
