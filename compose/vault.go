package compose

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"crier/connectors"
	"crier/schema"
	"crier/schema/postgres"
)

// openVault opens the keyset, and makes one if the installation has none yet. It refuses a
// keyset that has no key of the installation's, or opens none of the credentials in the database:
// it belongs to another installation, or is a new one in a mistyped folder, and every post would
// fail when it is due.
func openVault(ctx context.Context, c Config, store *postgres.Store) (*connectors.Vault, error) {
	file := c.keyset()
	sealed, err := store.SealedAccounts(ctx)
	if err != nil {
		return nil, err
	}
	bound, err := store.KeysetKeys(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(file); len(sealed)+len(bound) > 0 && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no keyset %s, but the database has one, which seals its credentials: name that with --keyset, or put it there", file)
	}
	vault, err := connectors.OpenVault(file)
	if err != nil {
		return nil, err
	}
	if err := checkBound(file, vault, bound); err != nil {
		return nil, err
	}
	for _, account := range sealed {
		if _, err = vault.Open(account); err == nil {
			return vault, nil
		}
	}
	if err != nil {
		return nil, anotherKeyset(file)
	}
	return vault, nil
}

// openBoundVault is openVault for a process that seals, from its start.
func openBoundVault(ctx context.Context, c Config, store *postgres.Store) (*connectors.Vault, error) {
	vault, err := openVault(ctx, c, store)
	if err != nil {
		return nil, err
	}
	return vault, bindKeyset(ctx, c, store, vault)
}

// bindKeyset binds the installation to the vault's keyset before it seals anything, and refuses
// a keyset that another came before: what either sealed, the other could not open.
func bindKeyset(ctx context.Context, c Config, store *postgres.Store, vault *connectors.Vault) error {
	bound, err := store.BindKeyset(ctx, vault.Keyset().All())
	if err != nil {
		return err
	}
	return checkBound(c.keyset(), vault, bound)
}

// checkBound refuses a keyset that has none of the keys that the installation is bound to.
func checkBound(file string, vault *connectors.Vault, bound []schema.SealingKey) error {
	held := vault.Keyset().All()
	if len(bound) > 0 && !slices.ContainsFunc(bound, func(key schema.SealingKey) bool { return slices.Contains(held, key) }) {
		return anotherKeyset(file)
	}
	return nil
}

func anotherKeyset(file string) error {
	return fmt.Errorf("%s is another keyset than the one that seals the credentials in the database: name that with --keyset", file)
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
