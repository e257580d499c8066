package compose

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/catalog"
	"crier/schema"
	"crier/schema/postgres/operation"
	"crier/schema/sleep"
)

// sandboxes makes the sandbox twins of workspaces.
type sandboxes struct {
	admin  *operation.Admin
	vault  *connectors.Vault
	logger *slog.Logger
}

// Twin returns the sandbox twin of a live workspace, with an account of every platform
// that has a simulator.
func (s sandboxes) Twin(ctx context.Context, live schema.WorkspaceID) (schema.WorkspaceID, error) {
	twin, err := s.admin.Twin(ctx, live)
	if err != nil {
		return twin, err
	}
	return twin, s.addAccounts(ctx, twin, simulatedPlatforms(), true)
}

// sandboxAccount is the native id of the accounts that a twin is given.
const sandboxAccount = "sandbox"

const (
	twinChunk = 500 // workspaces that are looked at in one statement
	twinRetry = time.Minute
)

// Run gives the twins that are there the accounts of platforms that came after them, once,
// and waits for the end of ctx. Processes may do it at once.
func (s sandboxes) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := s.complete(ctx)
		if err == nil {
			<-ctx.Done()
			return nil
		}
		if ctx.Err() == nil {
			s.logger.WarnContext(ctx, "giving sandboxes the accounts of new platforms failed", "err", err)
		}
		_ = sleep.For(ctx, twinRetry)
	}
	return nil
}

// complete goes through all workspaces, a chunk at a time. What it did stays done, wherever it
// is cut off. An account that was disconnected stays so.
func (s sandboxes) complete(ctx context.Context) error {
	for after := (schema.WorkspaceID{}); ; {
		twins, last, err := s.admin.BareTwins(ctx, after, operation.Bare{
			Platforms: simulatedPlatforms(), NativeID: sandboxAccount, Limit: twinChunk,
		})
		if err != nil || last.IsZero() {
			return err
		}
		for _, twin := range twins {
			if err := s.addAccounts(ctx, twin.Workspace, twin.Missing, false); err != nil {
				return err
			}
		}
		if len(twins) > 0 {
			s.logger.InfoContext(ctx, "sandboxes have accounts of new platforms", "sandboxes", len(twins))
		}
		after = last
	}
}

// simulatedPlatforms are those that have a simulator.
func simulatedPlatforms() []schema.Platform {
	var all []schema.Platform
	for _, simulator := range catalog.Simulators() {
		all = append(all, simulator.Platform)
	}
	return all
}

// addAccounts gives a sandbox workspace an account of each of some platforms. The simulators
// take any credentials of the right form, so these are derived from the workspace and need no
// call. Accounts that are connected stay as they are. Those that were disconnected are connected
// again with reconnect, and stay as they are without.
func (s sandboxes) addAccounts(ctx context.Context, workspace schema.WorkspaceID, platforms []schema.Platform, reconnect bool) error {
	name := strings.ReplaceAll(workspace.String(), "_", "-")
	var connections []schema.Connection
	for _, platform := range platforms {
		credentials := catalog.SandboxCredentials(platform, name)
		connections = append(connections, schema.Connection{
			Account: schema.Account{
				Workspace: workspace, Platform: platform, Sandbox: true,
				NativeID: sandboxAccount, Name: "sandbox " + platform.String(),
			},
			IfNew: !reconnect,
			Seal: func(stored schema.Account) ([]byte, bool, error) {
				sealed, err := s.vault.Seal(stored, credentials)
				return sealed, false, err
			},
		})
	}
	_, err := s.admin.Connect(ctx, workspace, connections)
	return err
}
