package connectors

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"

	"crier/schema"
)

// Keyset is which keys a keyset file holds, in the order in which they were made: the primary
// key seals, and all open. Keys behind it were added and do not seal yet; those before it have
// sealed once.
type Keyset struct {
	Before  []schema.SealingKey
	Primary schema.SealingKey
	Behind  []schema.SealingKey
}

// All returns every key, in their order.
func (k Keyset) All() []schema.SealingKey {
	return slices.Concat(k.Before, []schema.SealingKey{k.Primary}, k.Behind)
}

// AddKey makes a key in a keyset file that seals nothing yet.
func AddKey(file string) (id schema.SealingKey, err error) {
	err = changeKeyset(file, func(m *keyset.Manager) error {
		added, err := m.Add(aead.AES256GCMKeyTemplate())
		id = schema.SealingKey(added)
		return err
	})
	return id, err
}

// PromoteKey makes a key of a keyset file the one that seals.
func PromoteKey(file string, id schema.SealingKey) error {
	return changeKeyset(file, func(m *keyset.Manager) error { return m.SetPrimary(uint32(id)) })
}

// DropKeys deletes keys of a keyset file, but never the primary one.
func DropKeys(file string, ids []schema.SealingKey) error {
	return changeKeyset(file, func(m *keyset.Manager) error {
		for _, id := range ids {
			if err := m.Delete(uint32(id)); err != nil {
				return err
			}
		}
		return nil
	})
}

func keysetOf(handle *keyset.Handle) Keyset {
	var k Keyset
	info := handle.KeysetInfo()
	k.Primary = schema.SealingKey(info.GetPrimaryKeyId())
	for _, key := range info.GetKeyInfo() {
		if id := schema.SealingKey(key.GetKeyId()); id == k.Primary {
			k.Before, k.Behind = k.Behind, nil
		} else {
			k.Behind = append(k.Behind, id)
		}
	}
	return k
}

func readKeyset(path string) (*keyset.Handle, os.FileInfo, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return nil, nil, fmt.Errorf("%s has mode %s: only its owner may have access (0600)", path, info.Mode())
	}
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(file))
	return handle, info, err
}

// createKeyset makes a new keyset where there is none.
func createKeyset(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil // whoever reads it tells what is wrong with it
	}
	handle, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return err
	}
	// A link, unlike a rename, never replaces a keyset that has sealed something.
	err = writeKeyset(path, handle, nil, os.Link)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// changeKeyset puts a changed keyset in place of that of a file, whole or not at all. It stays
// its owner's, who may be another than runs this: a process that could not read it any more
// would open nothing.
func changeKeyset(path string, change func(*keyset.Manager) error) error {
	path, err := filepath.EvalSymlinks(path) // a link stays one
	if err != nil {
		return fmt.Errorf("changing keyset: %w", err)
	}
	handle, info, err := readKeyset(path)
	if err != nil {
		return fmt.Errorf("changing keyset: %w", err)
	}
	manager := keyset.NewManagerFromHandle(handle)
	if err := change(manager); err != nil {
		return fmt.Errorf("changing keyset: %w", err)
	}
	if handle, err = manager.Handle(); err == nil {
		err = writeKeyset(path, handle, info, os.Rename)
	}
	if err != nil {
		return fmt.Errorf("changing keyset: %w", err)
	}
	return nil
}

// writeKeyset writes a keyset beside a file, whole and on disk before put gives it the file's
// name. like is the file that it is to belong to the same owner as.
func writeKeyset(path string, handle *keyset.Handle, like os.FileInfo, put func(draft, path string) error) error {
	draft, err := os.CreateTemp(filepath.Dir(path), ".keyset-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	defer draft.Close()
	if owner, ok := ownerOf(like); ok {
		if err := draft.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
			return fmt.Errorf("giving it to the owner of %s: %w", path, err)
		}
	}
	if err := insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(draft)); err != nil {
		return err
	}
	if err := draft.Sync(); err != nil {
		return err
	}
	if err := put(draft.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func ownerOf(info os.FileInfo) (*syscall.Stat_t, bool) {
	if info == nil {
		return nil, false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return owner, ok
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
