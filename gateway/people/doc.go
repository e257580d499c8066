// Package people is the resource of those who use crier: how they sign in and out, and their sessions.
package people
