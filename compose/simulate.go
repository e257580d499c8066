package compose

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"crier/connectors/catalog"
	"crier/connectors/egress"
	"crier/connectors/simulators/sandbox"
	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/wall"
	"crier/schema"
)

// Simulate serves the platforms' simulators alone, without rate limits and with their
// controls, until ctx ends. Their state is in memory, except for media, in a folder that goes with
// them. They have one wall, which anybody finds.
func Simulate(ctx context.Context, address string, log *slog.Logger) (err error) {
	base := reachedAt(address)
	folder, err := os.MkdirTemp("", "crier-simulate-")
	if err != nil {
		return fmt.Errorf("making a folder for media: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	puller := egress.New(egress.Config{Allowed: everywhere()}) // it is for load and development
	simulators, err := sandbox.New(sandbox.Config{
		Simulators: catalog.Simulators(), Unlimited: true, BaseURL: func() string { return base }, Now: time.Now, HTTP: puller.Client(),
		Gallery: folder, OneWall: true, Walls: wall.NewAddresses([]byte(rand.Text())),
	})
	if err != nil {
		return err
	}
	listener, err := listen(ctx, "listen", address)
	if err != nil {
		return err
	}
	s := newServer("the simulators", listener, simulators.SimulateHandler(), log)
	return errors.Join(s.serve(ctx, time.Second), simulators.Close())
}

// connectedAtOnce bounds the accounts of one transaction.
const connectedAtOnce = 300

// Simulated is accounts whose credentials simulators alone take: they are for tests and load.
type Simulated struct {
	Platforms []schema.Platform
	Accounts  int // of each platform
	From      int // the first one's number: the same number is the same profile
}

// ConnectSimulated connects accounts to a workspace without asking the platforms, and
// returns them, those of a platform one after the other.
func ConnectSimulated(ctx context.Context, c Config, workspace string, wanted Simulated) (connected []schema.Account, err error) {
	err = operate(ctx, c, func(ctx context.Context, o *operator) error {
		if err := o.bind(ctx); err != nil {
			return err
		}
		w, err := o.admin.Workspace(ctx, workspace)
		if err != nil {
			return err
		}
		var connections []schema.Connection
		for _, platform := range wanted.Platforms {
			for i := range wanted.Accounts {
				name := fmt.Sprintf("%s-%05d", workspace, wanted.From+i) // a profile of this workspace alone
				connections = append(connections, o.simulated(schema.Account{Workspace: w.ID, Platform: platform, NativeID: name, Name: name}))
			}
		}
		for some := range slices.Chunk(connections, connectedAtOnce) {
			accounts, err := o.admin.Connect(ctx, w.ID, some)
			if err != nil {
				return fmt.Errorf("connecting simulated accounts: %w", err)
			}
			for _, account := range accounts {
				connected = append(connected, account.Account)
			}
		}
		return nil
	})
	return connected, err
}

// simulated is the connection of an account with credentials that a simulator takes. Where a token
// alone says whose account it is, it has the native id that the simulator gives it, by which a
// look asks for what it has published.
func (o *operator) simulated(a schema.Account) schema.Connection {
	credentials := catalog.SandboxCredentials(a.Platform, a.Name)
	if credentials.AccessToken != "" && credentials.EntityID == "" {
		a.NativeID = simulation.AccountID(a.Platform, credentials.AccessToken)
	}
	return schema.Connection{Account: a, Seal: func(stored schema.Account) ([]byte, bool, error) {
		sealed, err := o.vault.Seal(stored, credentials)
		return sealed, true, err
	}}
}
