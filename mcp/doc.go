// Package mcp lets assistants use crier: a server of the Model Context Protocol
// (modelcontextprotocol.io) whose tools call the REST API with the caller's key.
//
//	assistant → stdio       crier mcp: one person, one key, an API over the network
//	          → POST /mcp   the running server: the key of each request, the API in this process
//	          → a tool      checks its input, says what would happen, or does it
//	          → client      the Go client: idempotency keys, errors in words
//	          → the API     permissions, limits and workspaces hold as for anybody
//
// A tool knows nothing that the API does not tell its key. What becomes public is done only with
// the plan that the call without it answered, which names all that would happen. A file holds a group of tools.
package mcp
