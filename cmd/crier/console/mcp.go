package console

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"crier/client"
	"crier/mcp"
	"crier/schema"
)

// MCP lets an assistant use crier.
type MCP struct {
	Access
	// Not of the environment, where it would be for every assistant.
	Live    bool   `env:"-" help:"Take a live key: what the assistant publishes goes to real accounts."`
	Version string `kong:"-"` // of this build
}

// Run serves an assistant on standard input and output, which has nothing but its messages.
func (m *MCP) Run(ctx context.Context, logger *slog.Logger) error {
	server, err := m.Server()
	if err != nil {
		return err
	}
	if !m.Live && !schema.IsTestAPIKey(server.Key) {
		return errors.New("the key is no test key: with it, an assistant publishes to real accounts; give one that begins with crier_test_, or say --live")
	}
	return mcp.Run(ctx, mcp.Config{
		URL: server.URL, Key: func(http.Header) string { return server.Key }, Transport: http.DefaultTransport, Version: m.Version, Logger: logger,
		Retry: client.Retry{Tries: 3, For: 30 * time.Second}, // an assistant waits less than a program
	})
}
