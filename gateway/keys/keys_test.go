package keys_test

import (
	"bytes"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/gateway"
	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres"
	"crier/schema/secure/securetest"
)

func TestAKeyIsShownOnce(t *testing.T) {
	a := gatewaytest.New(t)
	id, secret := a.CreateKey(a.Key, `{"name": "Importer", "permissions": ["write"]}`)
	a.RequestWith(secret, http.MethodGet, "/posts", nil).Want(http.StatusOK)
	for _, path := range []string{"/keys", "/keys/" + id} {
		got := a.Request(http.MethodGet, path, nil)
		got.Want(http.StatusOK)
		if bytes.Contains(got.Body, []byte(secret)) {
			t.Errorf("%s shows the key", path)
		}
	}
	stored := a.Request(http.MethodGet, "/keys/"+id, nil).Want(http.StatusOK).At("key")
	if prefix := stored.At("prefix").Text(); !strings.HasPrefix(secret, strings.TrimSuffix(prefix, "…")) || len(prefix) > 20 {
		t.Errorf("prefix = %q", prefix)
	}
	if stored.At("permissions").Len() != 2 || stored.At("isActive").Value != true || stored.At("isCurrent").Value != false {
		t.Errorf("key = %v", stored.Value)
	}
	if n := a.QueryInt(`select count(*) from api_keys k where k::text like '%` + secret[len("crier_live_"):] + `%'`); n != 0 {
		t.Error("the key is stored")
	}
}

func TestKeysOfOthersAreNotThere(t *testing.T) {
	a := gatewaytest.New(t)
	id, _ := a.CreateKey(a.Key, `{"name": "ours", "permissions": ["read"]}`)
	_, other := a.CreateWorkspace("other", "operator", schema.Admin)
	a.RequestWith(other, http.MethodGet, "/keys/"+id, nil).WantError(http.StatusNotFound, "not_found")
	a.RequestWith(other, http.MethodPost, "/keys/"+id+"/rotate", nil).WantError(http.StatusNotFound, "not_found")
	a.RequestWith(other, http.MethodDelete, "/keys/"+id, nil).WantError(http.StatusNotFound, "not_found")
	if n := a.RequestWith(other, http.MethodGet, "/keys", nil).Want(http.StatusOK).At("keys").Len(); n != 1 {
		t.Errorf("the other workspace lists %d keys, want its own", n)
	}
}

func TestAKeyThatIsRotatedWorksForTheOverlap(t *testing.T) {
	a := gatewaytest.New(t)
	id, before := a.CreateKey(a.Key, `{"name": "CI", "permissions": ["write"]}`)
	successor := a.Request(http.MethodPost, "/keys/"+id+"/rotate", `{"overlapSeconds": 3600}`).Want(http.StatusOK).At("key")
	after := successor.At("secret").Text()
	if successor.At("name").Text() != "CI" || successor.At("permissions").Len() != 2 || successor.At("expiresAt").Value != nil {
		t.Errorf("successor = %v", successor.Value)
	}
	const body = `{"content": "once", "platforms": ["mastodon"], "status": "draft"}`
	a.AddAccount(a.Workspace, schema.Mastodon, "acme")
	first := a.RequestWith(before, http.MethodPost, "/posts", body, "Idempotency-Key", "k1").Want(http.StatusCreated)
	again := a.RequestWith(after, http.MethodPost, "/posts", body, "Idempotency-Key", "k1").Want(http.StatusCreated)
	if first.At("post", "id").Text() != again.At("post", "id").Text() {
		t.Error("the successor does not know the repetitions of the key before")
	}
	a.Exec(`update api_keys set expires_at = now() - interval '1 second' where id = (select lineage from api_keys where hash = $1)`, gatewaytest.KeyHash(after))
	a.Freeze()
	a.Advance(time.Hour)
	a.RequestWith(before, http.MethodGet, "/posts", nil).WantError(http.StatusUnauthorized, "unauthorized")
	a.RequestWith(after, http.MethodGet, "/posts", nil).Want(http.StatusOK)
	a.Request(http.MethodPost, "/keys/"+id+"/rotate", nil).WantError(http.StatusBadRequest, "invalid_state")
}

func TestAKeyThatLeakedIsRotatedAtOnce(t *testing.T) {
	a := gatewaytest.New(t)
	a.Freeze()
	id, before := a.CreateKey(a.Key, `{"name": "leaked", "permissions": ["read"]}`)
	a.RequestWith(before, http.MethodGet, "/posts", nil).Want(http.StatusOK)
	a.Request(http.MethodPost, "/keys/"+id+"/rotate", `{"overlapSeconds": 0}`).Want(http.StatusOK)
	a.Advance(time.Second)
	a.RequestWith(before, http.MethodGet, "/posts", nil).WantError(http.StatusUnauthorized, "unauthorized")
}

func TestARevokedKeyStopsInEveryGateway(t *testing.T) {
	a := gatewaytest.New(t)
	id, secret := a.CreateKey(a.Key, `{"name": "gone", "permissions": ["read"]}`)
	gateways := []*gatewaytest.API{a, a.Replica()}
	for _, gateway := range gateways {
		gateway.RequestWith(secret, http.MethodGet, "/posts", nil).Want(http.StatusOK)
	}
	a.Request(http.MethodDelete, "/keys/"+id, nil).Want(http.StatusOK)
	time.Sleep(1100 * time.Millisecond) // what a gateway may still know a key for, and a little
	for _, gateway := range gateways {
		gateway.RequestWith(secret, http.MethodGet, "/posts", nil).WantError(http.StatusUnauthorized, "unauthorized")
	}
}

func TestTheLastAdminKeyStays(t *testing.T) {
	a := gatewaytest.New(t)
	own := a.Request(http.MethodGet, "/keys", nil).Want(http.StatusOK).At("keys", 0)
	if own.At("isCurrent").Value != true {
		t.Fatalf("key = %v, want the one that asks", own.Value)
	}
	path := "/keys/" + own.At("id").Text()
	a.Request(http.MethodDelete, path, nil).WantError(http.StatusBadRequest, "invalid_state")
	_, second := a.CreateKey(a.Key, `{"name": "second", "permissions": ["admin"]}`)
	a.RequestWith(second, http.MethodDelete, path, nil).Want(http.StatusOK)
	a.RequestWith(second, http.MethodDelete, path, nil).Want(http.StatusOK) // once more changes nothing
}

func TestKeysAreRefusedWithEveryReason(t *testing.T) {
	a := gatewaytest.New(t)
	for name, tt := range map[string]struct{ body, field string }{
		"no name":               {`{"permissions": ["read"]}`, "name"},
		"an empty name":         {`{"name": " ", "permissions": ["read"]}`, "name"},
		"no permissions":        {`{"name": "k"}`, "permissions"},
		"an empty list":         {`{"name": "k", "permissions": []}`, "permissions"},
		"an unknown permission": {`{"name": "k", "permissions": ["read", "root"]}`, "permissions[1]"},
		"a number for one":      {`{"name": "k", "permissions": [1]}`, "permissions[0]"},
		"test is no boolean":    {`{"name": "k", "permissions": ["read"], "test": "yes"}`, "test"},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			failure := a.Request(http.MethodPost, "/keys", tt.body).WantError(http.StatusBadRequest, "validation_error")
			if got := failure.At("details", 0, "field").Text(); got != tt.field {
				t.Errorf("field = %s, want %s", got, tt.field)
			}
		})
	}
	if n := a.Request(http.MethodGet, "/keys", nil).Want(http.StatusOK).At("keys").Len(); n != 1 {
		t.Errorf("%d keys, want none more", n)
	}
}

func TestAWorkspaceHasAHundredKeysAtMost(t *testing.T) {
	a := gatewaytest.New(t)
	a.Exec(`insert into api_keys (id, lineage, workspace_id, name, hash, permission)
		select gen_random_uuid(), gen_random_uuid(), $1, 'filler', int4send(i) , 1 from generate_series(1, 98) i`, [16]byte(a.Workspace))
	id, _ := a.CreateKey(a.Key, `{"name": "the hundredth", "permissions": ["read"]}`)
	a.Request(http.MethodPost, "/keys", `{"name": "one more", "permissions": ["read"]}`).WantError(http.StatusBadRequest, "invalid_state")
	a.Request(http.MethodDelete, "/keys/"+id, nil).Want(http.StatusOK)
	a.CreateKey(a.Key, `{"name": "in its place", "permissions": ["read"]}`)
}

func TestItIsKeptWhenAKeyWasUsedLast(t *testing.T) {
	a := gatewaytest.New(t)
	id, secret := a.CreateKey(a.Key, `{"name": "used", "permissions": ["read"]}`)
	if used := a.Request(http.MethodGet, "/keys/"+id, nil).Want(http.StatusOK).At("key", "lastUsedAt"); used.Value != nil {
		t.Errorf("lastUsedAt = %v before its first use", used.Value)
	}
	before := a.Store.Now()
	a.RequestWith(secret, http.MethodGet, "/posts", nil).Want(http.StatusOK)
	if err := a.GatewayStore.StoreKeyUses(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := a.Request(http.MethodGet, "/keys/"+id, nil).Want(http.StatusOK).At("key", "lastUsedAt").Text()
	used, err := time.Parse(time.RFC3339, text)
	if err != nil || used.Before(before.Add(-time.Second)) || used.After(a.Store.Now().Add(time.Second)) {
		t.Errorf("lastUsedAt = %q (%v), want a time from %v until now", text, err, before)
	}
}

func TestATestKeyBelongsToTheSandbox(t *testing.T) {
	a := gatewaytest.New(t)
	id, test := a.CreateKey(a.Key, `{"name": "staging", "permissions": ["admin"], "test": true}`)
	if !strings.HasPrefix(test, "crier_test_") {
		t.Errorf("key = %.11s…", test)
	}
	live := a.Request(http.MethodGet, "/keys", nil).Want(http.StatusOK)
	if live.At("keys").Len() != 2 || live.At("keys", 0, "id").Text() != id || live.At("keys", 0, "test").Value != true {
		t.Errorf("a live key lists %v", live.At("keys").Value)
	}
	seen := a.RequestWith(test, http.MethodGet, "/keys", nil).Want(http.StatusOK).At("keys")
	if seen.Len() != 1 || seen.At(0, "id").Text() != id {
		t.Errorf("a test key lists %v, want itself alone", seen.Value)
	}
	own := live.At("keys", 1, "id").Text()
	a.RequestWith(test, http.MethodGet, "/keys/"+own, nil).WantError(http.StatusNotFound, "not_found")
	a.RequestWith(test, http.MethodPost, "/keys/"+own+"/rotate", nil).WantError(http.StatusNotFound, "not_found")
	a.RequestWith(test, http.MethodDelete, "/keys/"+own, nil).WantError(http.StatusNotFound, "not_found")
	a.RequestWith(test, http.MethodPost, "/keys", `{"name": "escape", "permissions": ["admin"], "test": false}`).WantError(http.StatusForbidden, "forbidden")
	if _, second := a.CreateKey(test, `{"name": "more", "permissions": ["read"]}`); !strings.HasPrefix(second, "crier_test_") {
		t.Error("a test key made a live one")
	}
	if rotated := a.Request(http.MethodPost, "/keys/"+id+"/rotate", nil).Want(http.StatusOK).At("key"); rotated.At("test").Value != true || !strings.HasPrefix(rotated.At("secret").Text(), "crier_test_") {
		t.Errorf("the successor of a test key is %v", rotated.Value)
	}
}

func TestAKeyWorksFromItsNetworksAlone(t *testing.T) {
	a := gatewaytest.New(t, func(c *gateway.Config) {
		c.Addresses.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	})
	created := a.Request(http.MethodPost, "/keys", `{"name": "office", "permissions": ["admin"], "networks": ["203.0.113.0/24", "198.51.100.7", "2001:db8:1:2::5/64"]}`).
		Want(http.StatusCreated).At("key")
	if networks := created.At("networks"); networks.Len() != 3 || networks.At(1).Text() != "198.51.100.7/32" || networks.At(2).Text() != "2001:db8:1:2::/64" {
		t.Errorf("networks = %v", networks.Value)
	}
	rotated := a.Request(http.MethodPost, "/keys/"+created.At("id").Text()+"/rotate", `{}`).Want(http.StatusOK).At("key")
	for from, works := range map[string]bool{
		"203.0.113.200": true, "198.51.100.7": true, "2001:db8:1:2:9::1": true,
		"203.0.114.1": false, "198.51.100.8": false, "2001:db8:1:3::1": false,
	} {
		for _, secret := range []string{created.At("secret").Text(), rotated.At("secret").Text()} {
			got := a.RequestWith(secret, http.MethodGet, "/posts", nil, "X-Forwarded-For", from)
			if works {
				got.Want(http.StatusOK)
			} else {
				got.WantError(http.StatusUnauthorized, "unauthorized")
			}
		}
	}
	for _, wrong := range []string{`["here"]`, `["2001:db8::1"]`, `["203.0.113.0/33"]`, `[5]`} {
		a.Request(http.MethodPost, "/keys", `{"name": "x", "permissions": ["read"], "networks": `+wrong+`}`).WantError(http.StatusBadRequest, "validation_error")
	}
}

func TestAKeyEndsWhenItsMakerSays(t *testing.T) {
	a := gatewaytest.New(t)
	a.Request(http.MethodPost, "/keys", `{"name": "x", "permissions": ["read"], "expiresAt": "2020-01-01T00:00:00Z"}`).WantError(http.StatusBadRequest, "validation_error")
	created := a.Request(http.MethodPost, "/keys", `{"name": "x", "permissions": ["read"], "expiresAt": "2099-01-01T00:00:00Z"}`).Want(http.StatusCreated).At("key")
	rotate := "/keys/" + created.At("id").Text() + "/rotate"
	for range 2 { // the second time while the first one's overlap lasts
		rotated := a.Request(http.MethodPost, rotate, `{}`).Want(http.StatusOK).At("key")
		if end := rotated.At("expiresAt").Text(); end != "2099-01-01T00:00:00.000Z" {
			t.Errorf("a successor ends at %q", end)
		}
	}
	if end := a.Request(http.MethodGet, "/keys/"+created.At("id").Text(), nil).Want(http.StatusOK).At("key", "expiresAt").Text(); end > "2098" {
		t.Errorf("the key ends at %q, after its overlap", end)
	}
}

// TestAdminKeysAreOwnersToGive has an admin ask for a key that would do what an owner does.
func TestAdminKeysAreOwnersToGive(t *testing.T) {
	a := gatewaytest.New(t)
	ada, carol := a.SignInMember(a.Workspace, people.Owner, "ada"), a.SignInMember(a.Workspace, people.Admin, "carol")
	key := ada.Do(http.MethodPost, "/keys", `{"name": "x", "permissions": ["admin"]}`).Want(http.StatusCreated).At("key")
	if key.At("madeBy").Text() != a.UserID("ada") {
		t.Errorf("madeBy = %v", key.At("madeBy").Value)
	}
	carol.Do(http.MethodPost, "/keys", `{"name": "x", "permissions": ["admin"]}`).WantError(http.StatusForbidden, "forbidden")
	carol.Do(http.MethodPost, "/keys/"+key.At("id").Text()+"/rotate", `{}`).WantError(http.StatusForbidden, "forbidden")
	keyID := carol.Do(http.MethodPost, "/keys", `{"name": "x", "permissions": ["write"]}`).Want(http.StatusCreated).At("key", "id").Text()
	carol.Do(http.MethodPost, "/keys/"+keyID+"/rotate", `{}`).Want(http.StatusOK)
}

// TestKeysThatAMemberRotatedEndWithTheMembership has a member know the secret of a key that another made.
func TestKeysThatAMemberRotatedEndWithTheMembership(t *testing.T) {
	a := gatewaytest.New(t)
	ada, carol := a.SignInMember(a.Workspace, people.Owner, "ada"), a.SignInMember(a.Workspace, people.Admin, "carol")
	keyID := ada.Do(http.MethodPost, "/keys", `{"name": "x", "permissions": ["write"]}`).Want(http.StatusCreated).At("key", "id").Text()
	rotated := carol.Do(http.MethodPost, "/keys/"+keyID+"/rotate", `{}`).Want(http.StatusOK).At("key")
	if rotated.At("madeBy").Text() != a.UserID("carol") {
		t.Errorf("madeBy = %v", rotated.At("madeBy").Value)
	}
	ada.Do(http.MethodDelete, "/members/"+a.UserID("carol")+"?keys=end", nil).Want(http.StatusOK)
	if ada.Do(http.MethodGet, "/keys/"+rotated.At("id").Text(), nil).Want(http.StatusOK).At("key", "revokedAt").Value == nil {
		t.Error("the key goes on whose secret she has")
	}
	ada.Do(http.MethodPost, "/keys/"+keyID+"/rotate", `{}`).Want(http.StatusOK)
}

// TestWhoIsNoAdminAnyMoreGetsNoKey has requests wait for the change of whoever sent them.
func TestWhoIsNoAdminAnyMoreGetsNoKey(t *testing.T) {
	a := gatewaytest.New(t)
	carol := a.AddUser("carol", people.Membership{Workspace: a.Workspace, Role: people.Viewer})
	_, old := a.IssueKey(a.Workspace, schema.Write, false)
	id := schema.NewID[schema.KeyID](a.Now())
	wanted := schema.KeyRecord{ID: id, Lineage: id, Workspace: a.Workspace, Name: "x", Permission: schema.Write, CreatedAt: a.Now(), MadeBy: carol.ID}
	store := postgres.NewGateway(a.Store, securetest.PlainText{}, catalog.Constraints)
	if err := store.CreateKey(t.Context(), wanted, [32]byte{1}); schema.KindOf(err) != schema.Forbidden {
		t.Errorf("CreateKey = %v", err)
	}
	_, err := store.RotateKey(t.Context(), a.Workspace, schema.KeyRotation{Key: old, Successor: wanted, Hash: [32]byte{1}})
	if schema.KindOf(err) != schema.Forbidden {
		t.Errorf("RotateKey = %v", err)
	}
}
