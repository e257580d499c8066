// Package keys is the resource of API keys, and of registration, which gives somebody
// without a key a workspace and a first key.
package keys
