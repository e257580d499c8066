package compose

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"crier/connectors"
	"crier/schema/postgres"
)

// openVault opens the keyset, and makes one if nothing has been sealed yet. It refuses a keyset
// that opens none of the credentials in the database: it belongs to another installation, or
// is a new one in a mistyped folder, and every post would fail when it is due.
func openVault(ctx context.Context, c Config, store *postgres.Store) (*connectors.Vault, error) {
	file := c.keyset()
	sealed, err := store.SealedAccounts(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(file); len(sealed) > 0 && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no keyset %s, but the database holds credentials that were sealed with one: name that with --keyset, or put it there", file)
	}
	vault, err := connectors.OpenVault(file)
	if err != nil {
		return nil, err
	}
	for _, account := range sealed {
		if _, err = vault.Open(account); err == nil {
			return vault, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s is another keyset than the one that sealed the credentials in the database: name that with --keyset", file)
	}
	return vault, nil
}

// followKeyset has the vault read the keyset again where it is another one, and other processes
// know which keys this one has.
func (b *base) followKeyset() {
	b.store.TellKeys(func(ctx context.Context) postgres.NodeKeys {
		if err := b.vault.Reload(); err != nil {
			b.config.Logger.WarnContext(ctx, "reading the keyset again failed; this process goes on with the keys it has", "err", err)
		}
		keys := b.vault.Keyset()
		return postgres.NodeKeys{Seals: keys.Primary, Opens: keys.All()}
	})
}
