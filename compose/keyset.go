package compose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"crier/connectors"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/operation"
	"crier/schema/sleep"
)

// SealingKey is a key of the keyset.
type SealingKey struct {
	ID   schema.SealingKey
	Use  SealingKeyUse
	Rows map[string]int64 // sealed by it, by table and column; only where there are some
	// Processes is how many of those that run have the key, of Running.
	Processes, Running int
}

// SealingKeyUse is what a key of the keyset is for.
type SealingKeyUse string

// What keys are for.
const (
	KeyAdded   SealingKeyUse = "added"   // it seals nothing yet: a rotation waits for processes to have it
	KeyPrimary SealingKeyUse = "primary" // it seals
	KeyOld     SealingKeyUse = "old"     // it opens what is not sealed again yet
	KeyMissing SealingKeyUse = "missing" // the keyset does not hold it, and what it sealed does not open
)

// CreateKeyset makes the keyset of an installation that has none yet. A file that is there stays
// as it is, which is an error.
func CreateKeyset(file string) error {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, fmt.Errorf("%s is there already, and may be what opens an installation's credentials", file))
	}
	_, err := connectors.OpenVault(file)
	return err
}

// ShowKeyset returns the keys of the keyset, in the order in which they were made, and those
// that something was sealed by and that it does not hold.
func ShowKeyset(ctx context.Context, c Config) ([]SealingKey, error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) ([]SealingKey, error) { return o.keys(ctx) })
}

func (o *operator) keys(ctx context.Context) ([]SealingKey, error) {
	uses, err := o.admin.KeyUses(ctx)
	if err != nil {
		return nil, err
	}
	held := o.vault.Keyset()
	var keys []SealingKey
	for _, id := range held.All() {
		use := KeyPrimary
		switch {
		case slices.Contains(held.Before, id):
			use = KeyOld
		case slices.Contains(held.Behind, id):
			use = KeyAdded
		}
		keys = append(keys, SealingKey{ID: id, Use: use})
	}
	for _, use := range uses {
		at := slices.IndexFunc(keys, func(k SealingKey) bool { return k.ID == use.Key })
		if at < 0 {
			at, keys = len(keys), append(keys, SealingKey{ID: use.Key, Use: KeyMissing})
		}
		if keys[at].Rows == nil {
			keys[at].Rows = map[string]int64{}
		}
		keys[at].Rows[use.Column] = use.Rows
	}
	for i := range keys {
		holders, err := o.admin.KeyHolders(ctx, keys[i].ID)
		if err != nil {
			return nil, err
		}
		keys[i].Processes, keys[i].Running = holders.Opening, holders.Processes
	}
	return keys, nil
}

// Rotating is how a rotation is watched.
type Rotating struct {
	Patience time.Duration // for processes to read the keyset, and for a backup to end
	// Waits is told what a rotation waits for, each second; Sealed how many values are sealed
	// again, of how many.
	Waits  func(what string)
	Sealed func(done, of int64)
}

// Rotated is what a rotation came to.
type Rotated struct {
	Key     schema.SealingKey // the new primary one
	Dropped []schema.SealingKey
	Values  int64 // sealed again
	Resumed bool  // an earlier rotation had made the key
}

// RotateKeyset makes a new key, seals everything with it and drops those before it. Each step is
// found in the keyset and the database: one that was cut off goes on where it was. The key is
// added first, and seals once every running process has it; old keys go once none seals with
// them and nothing needs them.
func RotateKeyset(ctx context.Context, c Config, r Rotating) (rotated Rotated, err error) {
	return operateFor(ctx, c, func(ctx context.Context, o *operator) (Rotated, error) {
		if err := o.bind(ctx); err != nil {
			return Rotated{}, err
		}
		rotation, err := o.admin.BeginRotation(ctx)
		if err != nil {
			return Rotated{}, err
		}
		defer rotation.End()
		return (&keysetRotation{Rotation: rotation, Rotating: r, vault: o.vault, file: c.keyset()}).run(ctx)
	})
}

type keysetRotation struct {
	*operation.Rotation
	Rotating
	vault *connectors.Vault
	file  string
}

func (r *keysetRotation) run(ctx context.Context) (Rotated, error) {
	if err := r.vault.Reload(); err != nil {
		return Rotated{}, err
	}
	resumed := len(r.vault.Keyset().All()) > 1
	if !resumed {
		if err := r.change(ctx, func() error { _, err := connectors.AddKey(r.file); return err }); err != nil {
			return Rotated{}, err
		}
	}
	if err := r.Know(ctx, r.vault.Keyset().All()); err != nil {
		return Rotated{}, err
	}
	if behind := r.vault.Keyset().Behind; len(behind) > 0 {
		if err := r.promote(ctx, behind[len(behind)-1]); err != nil {
			return Rotated{}, err
		}
	}
	keys := r.vault.Keyset()
	rotated := Rotated{Key: keys.Primary, Dropped: keys.Before, Resumed: resumed}
	err := r.await(ctx, "seal with another key than the new one still", func(h operation.KeyHolders) int { return h.Processes - h.Sealing }, keys.Primary)
	if err != nil {
		return rotated, err
	}
	if rotated.Values, err = r.reseal(ctx, keys.Before); err != nil {
		return rotated, err
	}
	return rotated, r.drop(ctx, keys.Before)
}

// change changes the keyset's file, and reads it.
func (r *keysetRotation) change(ctx context.Context, change func() error) error {
	if err := r.Alone(ctx); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	return r.vault.Reload()
}

func (r *keysetRotation) promote(ctx context.Context, key schema.SealingKey) error {
	err := r.await(ctx, "do not have the new key yet", func(h operation.KeyHolders) int { return h.Processes - h.Opening }, key)
	if err != nil {
		return err
	}
	return r.change(ctx, func() error { return connectors.PromoteKey(r.file, key) })
}

// await waits until no running process lags.
func (r *keysetRotation) await(ctx context.Context, how string, lag func(operation.KeyHolders) int, key schema.SealingKey) error {
	return r.wait(ctx, func() (string, error) {
		h, err := r.KeyHolders(ctx, key)
		if err != nil || lag(h) == 0 {
			return "", err
		}
		return fmt.Sprintf("%d of %d running processes %s: they read their keyset every few seconds; copy %s to those that have one of their own", lag(h), h.Processes, how, r.file), nil
	})
}

// wait waits until nothing is to be waited for, as long as patience lasts.
func (r *keysetRotation) wait(ctx context.Context, look func() (what string, err error)) error {
	for until := time.Now().Add(r.Patience); ; {
		what, err := look()
		if err != nil || what == "" {
			return err
		}
		if !time.Now().Before(until) {
			return fmt.Errorf("%s. The rotation is not finished, and nothing is lost: the same command goes on", what)
		}
		r.Waits(what)
		if err := sleep.For(ctx, waitingPause); err != nil {
			return err
		}
	}
}

const (
	waitingPause = time.Second
	// resealPasses is how often what others held, or wrote meanwhile, is looked for again.
	resealPasses = 5
)

// reseal seals everything again that old keys have sealed.
func (r *keysetRotation) reseal(ctx context.Context, old []schema.SealingKey) (done int64, err error) {
	var failed []error
	for range resealPasses {
		left, err := r.sealedBy(ctx, old)
		if err != nil || left == 0 {
			return done, err
		}
		all := done + left
		failed, err = r.Reseal(ctx, r.vault, old, func(values int) {
			done += int64(values)
			r.Sealed(done, all)
		})
		if err != nil {
			return done, err
		}
	}
	left, err := r.sealedBy(ctx, old)
	if err != nil || left == 0 {
		return done, err
	}
	if len(failed) == 0 {
		return done, fmt.Errorf("%d values are being written by others; the same command goes on", left)
	}
	return done, fmt.Errorf("%d values do not open, and the old keys stay for them: connect their accounts again or delete them, then run the same command. The first: %w", left, errors.Join(failed...))
}

func (r *keysetRotation) sealedBy(ctx context.Context, keys []schema.SealingKey) (n int64, err error) {
	uses, err := r.KeyUses(ctx)
	for _, use := range uses {
		if slices.Contains(keys, use.Key) {
			n += use.Rows
		}
	}
	return n, err
}

// drop drops old keys, which nothing needs any more.
func (r *keysetRotation) drop(ctx context.Context, old []schema.SealingKey) error {
	return r.wait(ctx, func() (string, error) {
		needed, err := r.Drop(ctx, old, func() error {
			return r.change(ctx, func() error { return connectors.DropKeys(r.file, old) })
		})
		switch {
		case errors.Is(err, operation.ErrBackingUp):
			return "a backup is being made, and needs the old keys until it has ended", nil
		case err != nil || len(needed) == 0:
			return "", err
		}
		if _, err := r.reseal(ctx, old); err != nil { // written since it was looked for
			return "", err
		}
		return needed[0].Column + " was sealed with an old key meanwhile", nil
	})
}

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
