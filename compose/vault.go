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
