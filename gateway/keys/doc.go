// Package keys is the resource of API keys, and of registration, which gives somebody
// without one a workspace and its first key.
package keys
