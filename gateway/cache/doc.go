// Package cache keeps what every request asks for about as long as the truth may lag behind:
// keys, and what is connected to a workspace.
package cache
