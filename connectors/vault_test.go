package connectors

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"crier/schema"
)

func newVault(t *testing.T) *Vault {
	t.Helper()
	vault, err := OpenVault(filepath.Join(t.TempDir(), "keyset.json"))
	if err != nil {
		t.Fatal(err)
	}
	return vault
}

func testAccount() schema.Account {
	return schema.Account{ID: account(1), Workspace: schema.WorkspaceID{15: 7}, Platform: schema.Telegram}
}

func testCredentials() schema.Credentials {
	return schema.Credentials{
		AccessToken: "access-S3CRET", RefreshToken: "refresh-S3CRET", Password: "password-S3CRET",
		BotToken: "bot-S3CRET", ExpiresAt: time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC),
	}
}

func TestVaultOpensWhatItSealed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keyset.json")
	first, err := OpenVault(path)
	if err != nil {
		t.Fatal(err)
	}
	account, want := testAccount(), testCredentials()
	account.Sealed, err = first.Seal(account, want)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(account.Sealed, []byte("S3CRET")) {
		t.Error("the sealed bytes show a secret")
	}
	text, err := first.SealText("wh_1", "whsec_S3CRET")
	if err != nil || bytes.Contains(text, []byte("S3CRET")) {
		t.Errorf("SealText = %q, %v", text, err)
	}
	second, err := OpenVault(path) // as after a restart
	if err != nil {
		t.Fatal(err)
	}
	if got, err := second.Open(account); err != nil || got != want {
		t.Errorf("Open = %v, %v; want what was sealed", got, err)
	}
	if got, err := second.OpenText("wh_1", text); err != nil || got != "whsec_S3CRET" {
		t.Errorf("OpenText = %q, %v", got, err)
	}
}

func TestVaultRefuses(t *testing.T) {
	vault, owner := newVault(t), testAccount()
	sealed, err := vault.Seal(owner, testCredentials())
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(v **Vault, a *schema.Account){
		"another workspace": func(_ **Vault, a *schema.Account) { a.Workspace[3]++ },
		"another account":   func(_ **Vault, a *schema.Account) { a.ID[15]++ },
		"another platform":  func(_ **Vault, a *schema.Account) { a.Platform = schema.Mastodon },
		"a changed bit":     func(_ **Vault, a *schema.Account) { a.Sealed[len(a.Sealed)/2] ^= 1 },
		"a missing byte":    func(_ **Vault, a *schema.Account) { a.Sealed = a.Sealed[:len(a.Sealed)-1] },
		"nothing":           func(_ **Vault, a *schema.Account) { a.Sealed = nil },
		"clear text":        func(_ **Vault, a *schema.Account) { a.Sealed = []byte(`{"accessToken":"x"}`) },
		"another keyset":    func(v **Vault, _ *schema.Account) { *v = newVault(t) },
	} {
		t.Run(name, func(t *testing.T) {
			vault, account := vault, owner
			account.Sealed = bytes.Clone(sealed)
			change(&vault, &account)
			if got, err := vault.Open(account); err == nil || got != (schema.Credentials{}) {
				t.Errorf("Open = %v, %v; want an error", got, err)
			}
			if _, err := vault.Open(account); errors.Is(err, schema.ErrKeyMissing) != (name == "another keyset") {
				t.Errorf("Open = %v; the key is missing from another keyset alone", err)
			}
		})
	}
	t.Run("a text as credentials", func(t *testing.T) {
		if _, err := vault.OpenText(string(accountData(owner)[1:]), sealed); err == nil {
			t.Error("credentials opened as a text")
		}
	})
}

func TestKeysetFile(t *testing.T) {
	t.Run("is its owner's alone", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "keyset.json")
		if _, err := OpenVault(path); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("mode = %v, %v; want 0600", info.Mode(), err)
		}
		left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".keyset-*"))
		if len(left) != 0 {
			t.Errorf("drafts stay behind: %v", left)
		}
		for _, mode := range []os.FileMode{0o640, 0o604, 0o660, 0o644} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			if _, err := OpenVault(path); err == nil {
				t.Errorf("a keyset of mode %s was opened", mode)
			}
		}
	})
	t.Run("is not replaced when it is damaged", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "keyset.json")
		if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenVault(path); err == nil {
			t.Error("a damaged keyset was opened")
		}
		if got, _ := os.ReadFile(path); string(got) != "{" {
			t.Error("the keyset was replaced")
		}
	})
	t.Run("is one, made by many at once", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "keyset.json")
		vaults := make([]*Vault, 8)
		var opening sync.WaitGroup
		for i := range vaults {
			opening.Go(func() {
				vault, err := OpenVault(path)
				if err != nil {
					t.Error(err)
				}
				vaults[i] = vault
			})
		}
		opening.Wait()
		if t.Failed() {
			return
		}
		sealed, err := vaults[0].SealText("x", "y")
		if err != nil {
			t.Fatal(err)
		}
		for _, vault := range vaults {
			if _, err := vault.OpenText("x", sealed); err != nil {
				t.Error("two processes have different keys")
			}
		}
	})
}

// A process that runs while the keyset is rotated seals with the new key as soon as there is one,
// and opens whatever it meets.
func TestAVaultFollowsItsKeyset(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keyset.json")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	running, err := OpenVault(path)
	must(err)
	old := running.Keyset().Primary
	early, err := running.SealText("x", "early")
	must(err)

	added, err := AddKey(path)
	must(err)
	if text, err := running.SealText("x", "still the old key"); err != nil || !bytes.HasPrefix(text, old.Prefix()) {
		t.Errorf("a key that was only added seals: %x, %v", text[:5], err)
	}
	if keys := running.Keyset(); keys.Primary != old || !slices.Equal(keys.Behind, []schema.SealingKey{added}) {
		t.Errorf("the keys are %+v, want %s behind %s", keys, added, old)
	}
	must(PromoteKey(path, added))
	elsewhere, err := OpenVault(path)
	must(err)
	late, err := elsewhere.SealText("x", "late")
	must(err)
	if by, ok := schema.SealedBy(late); !ok || by != added {
		t.Errorf("%s seals, want the promoted %s", by, added)
	}
	for sealed, want := range map[*[]byte]string{&early: "early", &late: "late"} {
		if got, err := running.OpenText("x", *sealed); err != nil || got != want {
			t.Errorf("OpenText = %q, %v; want %q", got, err, want)
		}
	}
	if text, err := running.SealText("x", "the new key"); err != nil || !bytes.HasPrefix(text, added.Prefix()) {
		t.Errorf("a promoted key does not seal: %x, %v", text[:5], err)
	}
	if keys := running.Keyset(); keys.Primary != added || !slices.Equal(keys.Before, []schema.SealingKey{old}) {
		t.Errorf("the keys are %+v, want %s before %s", keys, old, added)
	}

	must(DropKeys(path, []schema.SealingKey{old}))
	again, err := running.ResealText("x", early) // that it held in memory
	must(err)
	restarted, err := OpenVault(path)
	must(err)
	if got, err := restarted.OpenText("x", again); err != nil || got != "early" {
		t.Errorf("OpenText = %q, %v", got, err)
	}
	if _, err := restarted.OpenText("x", early); err == nil || !strings.Contains(err.Error(), old.String()) {
		t.Errorf("OpenText = %v, want the dropped key named", err)
	}
	if err := DropKeys(path, []schema.SealingKey{added}); err == nil {
		t.Error("the primary key was dropped")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the changed keyset: %v, %v", info.Mode(), err)
	}
	must(os.Rename(path, path+".gone"))
	if _, err := running.SealText("x", "y"); err != nil {
		t.Errorf("a keyset that cannot be read for a while stops a process that has its keys: %v", err)
	}
}

func TestCredentialsPrintNoSecret(t *testing.T) {
	credentials := testCredentials()
	delivery := schema.Delivery{Credentials: credentials}
	var logged bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&logged, nil), slog.NewJSONHandler(&logged, nil)} {
		slog.New(handler).Info("test", "credentials", credentials, slog.Group("of", "pointer", &credentials))
	}
	slog.New(slog.NewTextHandler(&logged, nil)).Info("test", "delivery", delivery)
	printed := fmt.Sprintf("%v %+v %#v %s %q %v %+v %#v", credentials, credentials, credentials, credentials,
		credentials, &credentials, delivery, delivery)
	if strings.Contains(printed, "S3CRET") {
		t.Errorf("printing shows a secret: %s", printed)
	}
	if strings.Contains(logged.String(), "S3CRET") {
		t.Errorf("the log shows a secret: %s", logged.String())
	}
}
