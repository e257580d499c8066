package connectors

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"

	"crier/schema"
)

// Vault seals secrets for storage with AES-256-GCM (Tink). What is sealed opens only
// for what it was sealed for: an account's credentials copied to another account, or
// another workspace, do not open. It is safe for concurrent use.
type Vault struct {
	aead tink.AEAD
}

// OpenVault reads the keys of a keyset file, which it makes when it is missing. The
// file holds them in clear text and must be readable by its owner alone; it belongs in
// every backup, as nothing sealed opens without it. Of two processes that make it at
// once both use the one that came first.
func OpenVault(keysetFile string) (*Vault, error) {
	handle, err := readKeyset(keysetFile)
	if errors.Is(err, fs.ErrNotExist) {
		if err := createKeyset(keysetFile); err != nil {
			return nil, fmt.Errorf("creating keyset: %w", err)
		}
		handle, err = readKeyset(keysetFile)
	}
	if err != nil {
		return nil, fmt.Errorf("reading keyset: %w", err)
	}
	primitive, err := aead.New(handle)
	if err != nil {
		return nil, fmt.Errorf("using keyset: %w", err)
	}
	return &Vault{aead: primitive}, nil
}

func readKeyset(path string) (*keyset.Handle, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s has mode %s: only its owner may have access (0600)", path, info.Mode())
	}
	return insecurecleartextkeyset.Read(keyset.NewJSONReader(file))
}

// createKeyset makes a new keyset, whole and on disk before it has its name, and
// leaves one that is already there as it is.
func createKeyset(path string) error {
	handle, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(path), ".keyset-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	defer draft.Close()
	if err := insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(draft)); err != nil {
		return err
	}
	if err := draft.Sync(); err != nil {
		return err
	}
	// A link, unlike a rename, never replaces a keyset that has sealed something.
	if err := os.Link(draft.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}

// Seal seals the credentials of an account for Account.Sealed. They are bound to its
// workspace, id and platform.
func (v *Vault) Seal(account schema.Account, credentials schema.Credentials) ([]byte, error) {
	plain, err := json.Marshal(credentials)
	if err != nil {
		return nil, fmt.Errorf("encoding credentials: %w", err)
	}
	sealed, err := v.aead.Encrypt(plain, accountData(account))
	if err != nil {
		return nil, fmt.Errorf("sealing credentials of %s: %w", account.ID, err)
	}
	return sealed, nil
}

// Open returns the credentials of an account from its Sealed.
func (v *Vault) Open(account schema.Account) (schema.Credentials, error) {
	plain, err := v.aead.Decrypt(account.Sealed, accountData(account))
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("opening credentials of %s: %w", account.ID, err)
	}
	var credentials schema.Credentials
	if json.Unmarshal(plain, &credentials) != nil { // its error would quote them
		return schema.Credentials{}, fmt.Errorf("opening credentials of %s: not JSON", account.ID)
	}
	return credentials, nil
}

// SealText seals a text, such as a webhook's secret, for what associated names: an id,
// and the workspace it belongs to.
func (v *Vault) SealText(associated, text string) ([]byte, error) {
	sealed, err := v.aead.Encrypt([]byte(text), textData(associated))
	if err != nil {
		return nil, fmt.Errorf("sealing text of %s: %w", associated, err)
	}
	return sealed, nil
}

// OpenText returns a text that SealText sealed for the same.
func (v *Vault) OpenText(associated string, sealed []byte) (string, error) {
	plain, err := v.aead.Decrypt(sealed, textData(associated))
	if err != nil {
		return "", fmt.Errorf("opening text of %s: %w", associated, err)
	}
	return string(plain), nil
}

// accountData is of fixed length, so that no two accounts share it; its first byte
// sets it apart from textData.
func accountData(account schema.Account) []byte {
	data := append([]byte{'c'}, account.Workspace[:]...)
	data = append(data, account.ID[:]...)
	return binary.BigEndian.AppendUint16(data, uint16(account.Platform))
}

func textData(associated string) []byte { return append([]byte{'t'}, associated...) }
