package compose

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/catalog"
	"crier/connectors/media"
	"crier/schema"
	"crier/schema/sleep"
)

// AccountToAdd is an account whose token exists already.
type AccountToAdd struct {
	Workspace   string
	Platform    string
	Server      string // base address; mastodon, bluesky and telegram only
	Credentials schema.Credentials
}

// AddedAccount is an account that was added, or was there.
type AddedAccount struct {
	schema.Account
	New      bool // it was not connected
	Replaced bool // it was, with other credentials: another bot, another token
}

// AddAccount checks credentials against the platform and connects their account to a
// workspace. An account that is connected gets the new credentials. Its server may be what the
// process allows that runs on the data folder.
func AddAccount(ctx context.Context, c Config, n AccountToAdd) (AddedAccount, error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) (AddedAccount, error) {
		return o.addAccount(ctx, n)
	})
}

func (o *operator) addAccount(ctx context.Context, n AccountToAdd) (added AddedAccount, err error) {
	platform, err := schema.ParsePlatform(n.Platform)
	if err != nil {
		return added, err
	}
	n.Credentials.Identifier = schema.PastedHandle(n.Credentials.Identifier)
	if err := checkCredentials(platform, n); err != nil {
		return added, err
	}
	if o.config, err = o.config.follow(); err != nil {
		return added, err
	}
	server, err := o.config.accountServer(platform, n.Server)
	if err != nil {
		return added, err
	}
	w, err := o.admin.Workspace(ctx, n.Workspace)
	if schema.KindOf(err) == schema.NotFound {
		return added, fmt.Errorf("%w; crier keys create makes one", err)
	}
	if err != nil {
		return added, err
	}
	account := schema.Account{Workspace: w.ID, Platform: platform, Server: server}
	platforms, err := o.platforms()
	if err != nil {
		return added, err
	}
	profile, err := check(ctx, platforms, account, n.Credentials)
	if err != nil {
		return added, err
	}
	account.NativeID, account.Name, account.Settings = profile.NativeID, profile.Name, profile.Settings
	if profile.Server != "" {
		account.Server = profile.Server
	}
	if err := o.bind(ctx); err != nil {
		return added, err
	}
	_, unable := connectors.As[connectors.Refresher](platforms, account)
	connected, err := o.admin.Connect(byCommand(ctx, "account.connect"), w.ID, []schema.Connection{{
		Account: account, ExpiresAt: profile.Expiry(n.Credentials),
		Renewable: n.Credentials.Refreshable() && unable == nil,
		Seal: func(stored schema.Account) ([]byte, bool, error) {
			if len(stored.Sealed) > 0 {
				if old, err := o.vault.Open(stored); err == nil && old == n.Credentials {
					return stored.Sealed, false, nil
				}
				added.Replaced = true
			}
			sealed, err := o.vault.Seal(stored, n.Credentials)
			return sealed, true, err
		},
	}})
	if err != nil {
		return added, err
	}
	added.Account, added.New = connected[0].Account, connected[0].New
	return added, nil
}

// checkCredentials tells which fields a platform needs.
func checkCredentials(platform schema.Platform, n AccountToAdd) error {
	var missing string
	switch platform {
	case schema.Bluesky:
		if n.Credentials.Identifier == "" || n.Credentials.Password == "" {
			missing = "identifier and password (an app password)"
		}
	case schema.Telegram:
		if n.Credentials.BotToken == "" || n.Credentials.ChatID == "" {
			missing = "botToken and chatId"
		}
	default:
		if n.Credentials.AccessToken == "" {
			missing = "accessToken"
		}
		if n.Server != "" && platform != schema.Mastodon {
			return fmt.Errorf("%s accounts have no server of their own", platform)
		}
	}
	if missing != "" {
		return fmt.Errorf("the credentials of %s need %s", platform, missing)
	}
	return nil
}

// platforms are the connectors of a command, which reach no sandbox.
func (o *operator) platforms() (*catalog.Catalog, error) {
	guard, err := o.config.guard(o.config.bases()...)
	if err != nil {
		return nil, err
	}
	return catalog.New(catalog.Config{
		HTTP: guard.Client(), SandboxHTTP: guard.Client(), BaseURLs: o.config.Bases, Apps: o.config.Apps, Versions: o.config.Versions,
		Media: media.NewFetcher(o.config.fetching(guard, nil)), Logger: o.config.Logger,
		Metrics: connectors.NewMetrics(prometheus.NewRegistry()), Now: o.admin.Now,
	})
}

const (
	checkTries = 3           // of the question whose credentials these are
	checkPause = time.Second // between two
)

// check asks the platform whose credentials these are, and again where its answer was lost.
func check(ctx context.Context, platforms *catalog.Catalog, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	checker, err := connectors.As[connectors.Checker](platforms, a)
	if err != nil {
		return connectors.Profile{}, err
	}
	profile, err := checker.Check(ctx, a, credentials)
	for range checkTries - 1 {
		if schema.KindOf(err) != schema.Retryable {
			break
		}
		if err := sleep.For(ctx, checkPause); err != nil {
			return profile, err
		}
		profile, err = checker.Check(ctx, a, credentials)
	}
	if refused, ok := errors.AsType[*schema.Error](err); ok {
		return profile, fmt.Errorf("checking the credentials with %s: %s", a.Platform, refused.Message)
	}
	return profile, err
}
