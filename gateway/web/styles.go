package web

import _ "embed"

// Tokens are the colours, spaces and type of the console, which other pages of the server have too.
//
//go:embed src/styles/tokens.css
var Tokens string
