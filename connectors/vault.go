package connectors

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/tink"

	"crier/schema"
)

// Vault seals secrets for storage with AES-256-GCM (Tink). What is sealed opens only
// for what it was sealed for: an account's credentials copied to another account, or
// another workspace, do not open. It is safe for concurrent use.
//
// A Vault follows its file: before it seals, and where something does not open, it reads the
// keys again if the file is another one by now. So a rotation reaches a running process.
type Vault struct {
	file string
	keys atomic.Pointer[vaultKeys]

	reading sync.Mutex
	dropped []tink.AEAD // of keysets read earlier: what was sealed before a rotation and is in memory still opens
}

// vaultKeys is what was read of a file.
type vaultKeys struct {
	Keyset
	aead tink.AEAD
	info os.FileInfo
}

// OpenVault reads the keys of a keyset file, which it makes when it is missing. The
// file holds them in clear text and must be readable by its owner alone; it belongs in
// every backup, as nothing sealed opens without it. Of two processes that make it at
// once both use the one that came first.
func OpenVault(keysetFile string) (*Vault, error) {
	if err := createKeyset(keysetFile); err != nil {
		return nil, fmt.Errorf("creating keyset: %w", err)
	}
	v := &Vault{file: keysetFile}
	return v, v.Reload()
}

// Keyset returns which keys the vault has, as it last read them.
func (v *Vault) Keyset() Keyset { return v.keys.Load().Keyset }

// Reload reads the keys again if the file is another one than was read. After an error the
// vault continues with those it has.
func (v *Vault) Reload() error {
	v.reading.Lock()
	defer v.reading.Unlock()
	before := v.keys.Load()
	if before != nil {
		info, err := os.Stat(v.file)
		if err != nil {
			return fmt.Errorf("reading keyset: %w", err)
		}
		if os.SameFile(info, before.info) && info.ModTime().Equal(before.info.ModTime()) && info.Size() == before.info.Size() {
			return nil
		}
	}
	handle, info, err := readKeyset(v.file)
	if err != nil {
		return fmt.Errorf("reading keyset: %w", err)
	}
	primitive, err := aead.New(handle)
	if err != nil {
		return fmt.Errorf("using keyset: %w", err)
	}
	next := &vaultKeys{keysetOf(handle), primitive, info}
	if before != nil && slices.ContainsFunc(before.All(), func(id schema.SealingKey) bool { return !slices.Contains(next.All(), id) }) {
		v.dropped = append(v.dropped, before.aead)
	}
	v.keys.Store(next)
	return nil
}

// encrypt seals with the primary key of the file as it is now. A file that cannot be read at
// the moment stands in nobody's way: its keys are known.
func (v *Vault) encrypt(plain, associated []byte) ([]byte, error) {
	_ = v.Reload() // whoever watches the vault tells of it
	return v.keys.Load().aead.Encrypt(plain, associated)
}

// decrypt opens with any key of the file, as it was read or as it is now, or one of before. It is
// schema.ErrKeyMissing where none of them has sealed it.
func (v *Vault) decrypt(sealed, associated []byte) ([]byte, error) {
	plain, err := v.keys.Load().aead.Decrypt(sealed, associated)
	if err == nil {
		return plain, nil
	}
	failed := v.Reload()
	if plain, err = v.keys.Load().aead.Decrypt(sealed, associated); err == nil {
		return plain, nil
	}
	v.reading.Lock()
	defer v.reading.Unlock()
	for _, earlier := range v.dropped {
		if plain, err := earlier.Decrypt(sealed, associated); err == nil {
			return plain, nil
		}
	}
	if id, ok := schema.SealedBy(sealed); ok && !slices.Contains(v.Keyset().All(), id) {
		err = fmt.Errorf("%w: %s in %s", schema.ErrKeyMissing, id, v.file)
	}
	if failed != nil {
		err = fmt.Errorf("%w (%w)", err, failed)
	}
	return nil, err
}

// Seal seals the credentials of an account for Account.Sealed. They are bound to its
// workspace, id and platform.
func (v *Vault) Seal(account schema.Account, credentials schema.Credentials) ([]byte, error) {
	plain, err := json.Marshal(credentials)
	if err != nil {
		return nil, fmt.Errorf("encoding credentials: %w", err)
	}
	sealed, err := v.encrypt(plain, accountData(account))
	if err != nil {
		return nil, fmt.Errorf("sealing credentials of %s: %w", account.ID, err)
	}
	return sealed, nil
}

// Open returns the credentials of an account from its Sealed.
func (v *Vault) Open(account schema.Account) (schema.Credentials, error) {
	plain, err := v.decrypt(account.Sealed, accountData(account))
	if err != nil {
		return schema.Credentials{}, fmt.Errorf("opening credentials of %s: %w", account.ID, err)
	}
	var credentials schema.Credentials
	if json.Unmarshal(plain, &credentials) != nil { // its error would quote them
		return schema.Credentials{}, fmt.Errorf("opening credentials of %s: not JSON", account.ID)
	}
	return credentials, nil
}

// Opener opens the credentials of accounts, as a Vault does.
type Opener interface {
	Open(account schema.Account) (schema.Credentials, error)
}

// Unseal opens the credentials of an account. Only its owner can replace those that do not open,
// except for those whose key this process lacks (schema.ErrKeyMissing).
func Unseal(vault Opener, account schema.Account) (schema.Credentials, error) {
	credentials, err := vault.Open(account)
	if err != nil && !errors.Is(err, schema.ErrKeyMissing) {
		err = &schema.Error{Kind: schema.TokenDead, Message: "the stored credentials cannot be read; connect the account again", Err: err}
	}
	return credentials, err
}

// SealText seals a text, such as a webhook's secret, for what associated names: an id,
// and the workspace it belongs to.
func (v *Vault) SealText(associated, text string) ([]byte, error) {
	sealed, err := v.encrypt([]byte(text), textData(associated))
	if err != nil {
		return nil, fmt.Errorf("sealing text of %s: %w", associated, err)
	}
	return sealed, nil
}

// OpenText returns a text that SealText sealed for the same.
func (v *Vault) OpenText(associated string, sealed []byte) (string, error) {
	plain, err := v.decrypt(sealed, textData(associated))
	if err != nil {
		return "", fmt.Errorf("opening text of %s: %w", associated, err)
	}
	return string(plain), nil
}

// Reseal seals the credentials of an account once more, with the primary key.
func (v *Vault) Reseal(account schema.Account) ([]byte, error) {
	sealed, err := v.reseal(account.Sealed, accountData(account))
	if err != nil {
		return nil, fmt.Errorf("sealing credentials of %s again: %w", account.ID, err)
	}
	return sealed, nil
}

// ResealText seals a text that SealText sealed for the same once more, with the primary key.
func (v *Vault) ResealText(associated string, sealed []byte) ([]byte, error) {
	again, err := v.reseal(sealed, textData(associated))
	if err != nil {
		return nil, fmt.Errorf("sealing text of %s again: %w", associated, err)
	}
	return again, nil
}

func (v *Vault) reseal(sealed, associated []byte) ([]byte, error) {
	plain, err := v.decrypt(sealed, associated)
	if err != nil {
		return nil, err
	}
	return v.encrypt(plain, associated)
}

// accountData is of fixed length, so that no two accounts share it; its first byte
// sets it apart from textData.
func accountData(account schema.Account) []byte {
	data := append([]byte{'c'}, account.Workspace[:]...)
	data = append(data, account.ID[:]...)
	return binary.BigEndian.AppendUint16(data, uint16(account.Platform))
}

func textData(associated string) []byte { return append([]byte{'t'}, associated...) }
