package compose

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	"crier/connectors"
	"crier/connectors/catalog"
	linkedin "crier/connectors/linkedin/simulator"
	"crier/schema"
	"crier/schema/postgres"
)

// sandboxes makes the sandbox twins of workspaces.
type sandboxes struct {
	admin *postgres.Admin
	vault *connectors.Vault
}

// Twin returns the sandbox twin of a live workspace, with an account of every platform
// that has a simulator.
func (s sandboxes) Twin(ctx context.Context, live schema.WorkspaceID) (schema.WorkspaceID, error) {
	twin, err := s.admin.Twin(ctx, live)
	if err != nil {
		return twin, err
	}
	return twin, s.addAccounts(ctx, twin)
}

// addAccounts gives a sandbox workspace an account of every platform that has a simulator.
// The simulators take any credentials of the right form, so these are derived from the
// workspace and need no call. Accounts that are connected stay as they are.
func (s sandboxes) addAccounts(ctx context.Context, workspace schema.WorkspaceID) error {
	name := strings.ReplaceAll(workspace.String(), "_", "-")
	var connections []schema.Connection
	for _, simulator := range catalog.Simulators() {
		credentials := sandboxCredentials(simulator.Platform, name)
		connections = append(connections, schema.Connection{
			Account: schema.Account{
				Workspace: workspace, Platform: simulator.Platform, Sandbox: true,
				NativeID: "sandbox", Name: "sandbox " + simulator.Platform.String(),
			},
			Seal: func(stored schema.Account) ([]byte, bool, error) {
				sealed, err := s.vault.Seal(stored, credentials)
				return sealed, false, err
			},
		})
	}
	_, err := s.admin.Connect(ctx, workspace, connections)
	return err
}

func sandboxCredentials(platform schema.Platform, name string) schema.Credentials {
	switch platform {
	case schema.Bluesky:
		return schema.Credentials{Identifier: name + ".sandbox.test", Password: "sand-boxs-andb-oxes"}
	case schema.Telegram:
		return schema.Credentials{BotToken: telegramToken(name), ChatID: "@" + strings.ReplaceAll(name, "-", "_")}
	case schema.LinkedIn: // as an organization: nobody is shown what a member has published
		token := "sandbox-" + name
		return schema.Credentials{AccessToken: token, EntityID: linkedin.Organizations(token)[0]}
	default:
		return schema.Credentials{AccessToken: "sandbox-" + name}
	}
}

// telegramToken is the token of a bot for this workspace alone: all that goes through one bot
// shares its limit.
func telegramToken(name string) string {
	id := fnv.New32a()
	id.Write([]byte(name))
	return fmt.Sprintf("%d:%.35s", firstBot+int64(id.Sum32()), name+strings.Repeat("x", 35))
}

// firstBot makes the ids of bots as long as Telegram's are.
const firstBot = 1_000_000_000
