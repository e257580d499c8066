// Package people is who uses crier: users, what they may do in workspaces, and how they get in.
package people
