package gateway_test

import (
	"bytes"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"crier/connectors/catalog"
	"crier/gateway"
	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres"
)

// madeKey makes a key over the API.
func (a *api) madeKey(by, body string) (id, secret string) {
	a.Helper()
	key := a.callWith(by, http.MethodPost, "/keys", body).want(http.StatusCreated).at("key")
	return key.at("id").text(), key.at("secret").text()
}

// pass moves the gateway's clock on, past what it caches.
func (a *api) pass(d time.Duration) {
	later := a.frozen.Load().Add(d)
	a.frozen.Store(&later)
}

func TestAKeyIsShownOnce(t *testing.T) {
	a := newAPI(t)
	id, secret := a.madeKey(a.key, `{"name": "Importer", "permissions": ["write"]}`)
	a.callWith(secret, http.MethodGet, "/posts", nil).want(http.StatusOK)
	for _, path := range []string{"/keys", "/keys/" + id} {
		got := a.call(http.MethodGet, path, nil)
		got.want(http.StatusOK)
		if bytes.Contains(got.body, []byte(secret)) {
			t.Errorf("%s shows the key", path)
		}
	}
	shown := a.call(http.MethodGet, "/keys/"+id, nil).want(http.StatusOK).at("key")
	if prefix := shown.at("prefix").text(); !strings.HasPrefix(secret, strings.TrimSuffix(prefix, "…")) || len(prefix) > 20 {
		t.Errorf("prefix = %q", prefix)
	}
	if shown.at("permissions").size() != 2 || shown.at("isActive").value != true || shown.at("isCurrent").value != false {
		t.Errorf("key = %v", shown.value)
	}
	if n := a.number(`select count(*) from api_keys k where k::text like '%` + secret[len("crier_live_"):] + `%'`); n != 0 {
		t.Error("the key is stored")
	}
}

func TestKeysOfOthersAreNotThere(t *testing.T) {
	a := newAPI(t)
	id, _ := a.madeKey(a.key, `{"name": "ours", "permissions": ["read"]}`)
	_, other := a.tenant("other", "operator", schema.Admin)
	a.callWith(other, http.MethodGet, "/keys/"+id, nil).fails(http.StatusNotFound, "not_found")
	a.callWith(other, http.MethodPost, "/keys/"+id+"/rotate", nil).fails(http.StatusNotFound, "not_found")
	a.callWith(other, http.MethodDelete, "/keys/"+id, nil).fails(http.StatusNotFound, "not_found")
	if n := a.callWith(other, http.MethodGet, "/keys", nil).want(http.StatusOK).at("keys").size(); n != 1 {
		t.Errorf("the other workspace lists %d keys, want its own", n)
	}
}

func TestAKeyThatIsRotatedWorksForTheOverlap(t *testing.T) {
	a := newAPI(t)
	id, before := a.madeKey(a.key, `{"name": "CI", "permissions": ["write"]}`)
	successor := a.call(http.MethodPost, "/keys/"+id+"/rotate", `{"overlapSeconds": 3600}`).want(http.StatusOK).at("key")
	after := successor.at("secret").text()
	if successor.at("name").text() != "CI" || successor.at("permissions").size() != 2 || successor.at("expiresAt").value != nil {
		t.Errorf("successor = %v", successor.value)
	}
	const body = `{"content": "once", "platforms": ["mastodon"], "status": "draft"}`
	a.connect(a.workspace, schema.Mastodon, "acme")
	first := a.callWith(before, http.MethodPost, "/posts", body, "Idempotency-Key", "k1").want(http.StatusCreated)
	again := a.callWith(after, http.MethodPost, "/posts", body, "Idempotency-Key", "k1").want(http.StatusCreated)
	if first.at("post", "id").text() != again.at("post", "id").text() {
		t.Error("the successor does not know the repetitions of the key before")
	}
	a.exec(`update api_keys set expires_at = now() - interval '1 second' where id = (select lineage from api_keys where hash = $1)`, hashOf(after))
	a.freeze()
	a.pass(time.Hour)
	a.callWith(before, http.MethodGet, "/posts", nil).fails(http.StatusUnauthorized, "unauthorized")
	a.callWith(after, http.MethodGet, "/posts", nil).want(http.StatusOK)
	a.call(http.MethodPost, "/keys/"+id+"/rotate", nil).fails(http.StatusBadRequest, "invalid_state")
}

func TestAKeyThatLeakedIsRotatedAtOnce(t *testing.T) {
	a := newAPI(t)
	a.freeze()
	id, before := a.madeKey(a.key, `{"name": "leaked", "permissions": ["read"]}`)
	a.callWith(before, http.MethodGet, "/posts", nil).want(http.StatusOK)
	a.call(http.MethodPost, "/keys/"+id+"/rotate", `{"overlapSeconds": 0}`).want(http.StatusOK)
	a.pass(time.Second)
	a.callWith(before, http.MethodGet, "/posts", nil).fails(http.StatusUnauthorized, "unauthorized")
}

func TestARevokedKeyStopsInEveryGateway(t *testing.T) {
	a := newAPI(t)
	id, secret := a.madeKey(a.key, `{"name": "gone", "permissions": ["read"]}`)
	gateways := []*api{a, a.another()}
	for _, gateway := range gateways {
		gateway.callWith(secret, http.MethodGet, "/posts", nil).want(http.StatusOK)
	}
	a.call(http.MethodDelete, "/keys/"+id, nil).want(http.StatusOK)
	time.Sleep(1100 * time.Millisecond) // what a gateway may still know a key for, and a little
	for _, gateway := range gateways {
		gateway.callWith(secret, http.MethodGet, "/posts", nil).fails(http.StatusUnauthorized, "unauthorized")
	}
}

func TestTheLastAdminKeyStays(t *testing.T) {
	a := newAPI(t)
	own := a.call(http.MethodGet, "/keys", nil).want(http.StatusOK).at("keys", 0)
	if own.at("isCurrent").value != true {
		t.Fatalf("key = %v, want the one that asks", own.value)
	}
	path := "/keys/" + own.at("id").text()
	a.call(http.MethodDelete, path, nil).fails(http.StatusBadRequest, "invalid_state")
	_, second := a.madeKey(a.key, `{"name": "second", "permissions": ["admin"]}`)
	a.callWith(second, http.MethodDelete, path, nil).want(http.StatusOK)
	a.callWith(second, http.MethodDelete, path, nil).want(http.StatusOK) // once more changes nothing
}

func TestKeysAreRefusedWithEveryReason(t *testing.T) {
	a := newAPI(t)
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
			a.under(t)
			failure := a.call(http.MethodPost, "/keys", tt.body).fails(http.StatusBadRequest, "validation_error")
			if got := failure.at("details", 0, "field").text(); got != tt.field {
				t.Errorf("field = %s, want %s", got, tt.field)
			}
		})
	}
	if n := a.call(http.MethodGet, "/keys", nil).want(http.StatusOK).at("keys").size(); n != 1 {
		t.Errorf("%d keys, want none more", n)
	}
}

func TestAWorkspaceHasAHundredKeysAtMost(t *testing.T) {
	a := newAPI(t)
	a.exec(`insert into api_keys (id, lineage, workspace_id, name, hash, permission)
		select gen_random_uuid(), gen_random_uuid(), $1, 'filler', int4send(i) , 1 from generate_series(1, 98) i`, [16]byte(a.workspace))
	id, _ := a.madeKey(a.key, `{"name": "the hundredth", "permissions": ["read"]}`)
	a.call(http.MethodPost, "/keys", `{"name": "one more", "permissions": ["read"]}`).fails(http.StatusBadRequest, "invalid_state")
	a.call(http.MethodDelete, "/keys/"+id, nil).want(http.StatusOK)
	a.madeKey(a.key, `{"name": "in its place", "permissions": ["read"]}`)
}

func TestItIsKeptWhenAKeyWasUsedLast(t *testing.T) {
	a := newAPI(t)
	id, secret := a.madeKey(a.key, `{"name": "used", "permissions": ["read"]}`)
	if used := a.call(http.MethodGet, "/keys/"+id, nil).want(http.StatusOK).at("key", "lastUsedAt"); used.value != nil {
		t.Errorf("lastUsedAt = %v before its first use", used.value)
	}
	asked := a.store.Now()
	a.callWith(secret, http.MethodGet, "/posts", nil).want(http.StatusOK)
	if err := a.keys.StoreKeyUses(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := a.call(http.MethodGet, "/keys/"+id, nil).want(http.StatusOK).at("key", "lastUsedAt").text()
	used, err := time.Parse(time.RFC3339, text)
	if err != nil || used.Before(asked.Add(-time.Second)) || used.After(a.store.Now().Add(time.Second)) {
		t.Errorf("lastUsedAt = %q (%v), want a time from %v until now", text, err, asked)
	}
}

func TestATestKeyBelongsToTheSandbox(t *testing.T) {
	a := newAPI(t)
	id, test := a.madeKey(a.key, `{"name": "staging", "permissions": ["admin"], "test": true}`)
	if !strings.HasPrefix(test, "crier_test_") {
		t.Errorf("key = %.11s…", test)
	}
	live := a.call(http.MethodGet, "/keys", nil).want(http.StatusOK)
	if live.at("keys").size() != 2 || live.at("keys", 0, "id").text() != id || live.at("keys", 0, "test").value != true {
		t.Errorf("a live key lists %v", live.at("keys").value)
	}
	seen := a.callWith(test, http.MethodGet, "/keys", nil).want(http.StatusOK).at("keys")
	if seen.size() != 1 || seen.at(0, "id").text() != id {
		t.Errorf("a test key lists %v, want itself alone", seen.value)
	}
	own := live.at("keys", 1, "id").text()
	a.callWith(test, http.MethodGet, "/keys/"+own, nil).fails(http.StatusNotFound, "not_found")
	a.callWith(test, http.MethodPost, "/keys/"+own+"/rotate", nil).fails(http.StatusNotFound, "not_found")
	a.callWith(test, http.MethodDelete, "/keys/"+own, nil).fails(http.StatusNotFound, "not_found")
	a.callWith(test, http.MethodPost, "/keys", `{"name": "escape", "permissions": ["admin"], "test": false}`).fails(http.StatusForbidden, "forbidden")
	if _, second := a.madeKey(test, `{"name": "more", "permissions": ["read"]}`); !strings.HasPrefix(second, "crier_test_") {
		t.Error("a test key made a live one")
	}
	if rotated := a.call(http.MethodPost, "/keys/"+id+"/rotate", nil).want(http.StatusOK).at("key"); rotated.at("test").value != true || !strings.HasPrefix(rotated.at("secret").text(), "crier_test_") {
		t.Errorf("the successor of a test key is %v", rotated.value)
	}
}

func TestAKeyWorksFromItsNetworksAlone(t *testing.T) {
	a := newAPI(t, func(c *gateway.Config) {
		c.Addresses.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	})
	made := a.call(http.MethodPost, "/keys", `{"name": "office", "permissions": ["admin"], "networks": ["203.0.113.0/24", "198.51.100.7", "2001:db8:1:2::5/64"]}`).
		want(http.StatusCreated).at("key")
	if networks := made.at("networks"); networks.size() != 3 || networks.at(1).text() != "198.51.100.7/32" || networks.at(2).text() != "2001:db8:1:2::/64" {
		t.Errorf("networks = %v", networks.value)
	}
	rotated := a.call(http.MethodPost, "/keys/"+made.at("id").text()+"/rotate", `{}`).want(http.StatusOK).at("key")
	for from, works := range map[string]bool{
		"203.0.113.200": true, "198.51.100.7": true, "2001:db8:1:2:9::1": true,
		"203.0.114.1": false, "198.51.100.8": false, "2001:db8:1:3::1": false,
	} {
		for _, secret := range []string{made.at("secret").text(), rotated.at("secret").text()} {
			got := a.callWith(secret, http.MethodGet, "/posts", nil, "X-Forwarded-For", from)
			if works {
				got.want(http.StatusOK)
			} else {
				got.fails(http.StatusUnauthorized, "unauthorized")
			}
		}
	}
	for _, wrong := range []string{`["here"]`, `["2001:db8::1"]`, `["203.0.113.0/33"]`, `[5]`} {
		a.call(http.MethodPost, "/keys", `{"name": "x", "permissions": ["read"], "networks": `+wrong+`}`).fails(http.StatusBadRequest, "validation_error")
	}
}

func TestAKeyEndsWhenItsMakerSays(t *testing.T) {
	a := newAPI(t)
	a.call(http.MethodPost, "/keys", `{"name": "x", "permissions": ["read"], "expiresAt": "2020-01-01T00:00:00Z"}`).fails(http.StatusBadRequest, "validation_error")
	made := a.call(http.MethodPost, "/keys", `{"name": "x", "permissions": ["read"], "expiresAt": "2099-01-01T00:00:00Z"}`).want(http.StatusCreated).at("key")
	rotate := "/keys/" + made.at("id").text() + "/rotate"
	for range 2 { // the second time while the first one's overlap lasts
		rotated := a.call(http.MethodPost, rotate, `{}`).want(http.StatusOK).at("key")
		if end := rotated.at("expiresAt").text(); end != "2099-01-01T00:00:00.000Z" {
			t.Errorf("a successor ends at %q", end)
		}
	}
	if end := a.call(http.MethodGet, "/keys/"+made.at("id").text(), nil).want(http.StatusOK).at("key", "expiresAt").text(); end > "2098" {
		t.Errorf("the key ends at %q, after its overlap", end)
	}
}

// TestAdminKeysAreOwnersToGive has an admin ask for a key that would do what an owner does.
func TestAdminKeysAreOwnersToGive(t *testing.T) {
	a := newAPI(t)
	ada, carol := a.member(a.workspace, people.Owner, "ada"), a.member(a.workspace, people.Admin, "carol")
	key := ada.ask(http.MethodPost, "/keys", `{"name": "x", "permissions": ["admin"]}`).want(http.StatusCreated).at("key")
	if key.at("madeBy").text() != a.userID("ada") {
		t.Errorf("madeBy = %v", key.at("madeBy").value)
	}
	carol.ask(http.MethodPost, "/keys", `{"name": "x", "permissions": ["admin"]}`).fails(http.StatusForbidden, "forbidden")
	carol.ask(http.MethodPost, "/keys/"+key.at("id").text()+"/rotate", `{}`).fails(http.StatusForbidden, "forbidden")
	made := carol.ask(http.MethodPost, "/keys", `{"name": "x", "permissions": ["write"]}`).want(http.StatusCreated).at("key", "id").text()
	carol.ask(http.MethodPost, "/keys/"+made+"/rotate", `{}`).want(http.StatusOK)
}

// TestKeysThatAMemberRotatedEndWithTheMembership has a member know the secret of a key that another made.
func TestKeysThatAMemberRotatedEndWithTheMembership(t *testing.T) {
	a := newAPI(t)
	ada, carol := a.member(a.workspace, people.Owner, "ada"), a.member(a.workspace, people.Admin, "carol")
	made := ada.ask(http.MethodPost, "/keys", `{"name": "x", "permissions": ["write"]}`).want(http.StatusCreated).at("key", "id").text()
	rotated := carol.ask(http.MethodPost, "/keys/"+made+"/rotate", `{}`).want(http.StatusOK).at("key")
	if rotated.at("madeBy").text() != a.userID("carol") {
		t.Errorf("madeBy = %v", rotated.at("madeBy").value)
	}
	ada.ask(http.MethodDelete, "/members/"+a.userID("carol")+"?keys=end", nil).want(http.StatusOK)
	if ada.ask(http.MethodGet, "/keys/"+rotated.at("id").text(), nil).want(http.StatusOK).at("key", "revokedAt").value == nil {
		t.Error("the key goes on whose secret she has")
	}
	ada.ask(http.MethodPost, "/keys/"+made+"/rotate", `{}`).want(http.StatusOK)
}

// TestWhoIsNoAdminAnyMoreGetsNoKey has requests wait for the change of whoever sent them.
func TestWhoIsNoAdminAnyMoreGetsNoKey(t *testing.T) {
	a := newAPI(t)
	carol := a.user("carol", people.Membership{Workspace: a.workspace, Role: people.Viewer})
	_, old := a.issueKey(a.workspace, schema.Write, false)
	id := schema.NewKeyID(a.now())
	wanted := schema.KeyRecord{ID: id, Lineage: id, Workspace: a.workspace, Name: "x", Permission: schema.Write, CreatedAt: a.now(), MadeBy: carol.ID}
	store := postgres.NewGateway(a.store, plain{}, catalog.Constraints)
	if err := store.CreateKey(t.Context(), wanted, [32]byte{1}); schema.KindOf(err) != schema.Forbidden {
		t.Errorf("CreateKey = %v", err)
	}
	_, err := store.RotateKey(t.Context(), a.workspace, schema.KeyRotation{Key: old, Successor: wanted, Hash: [32]byte{1}})
	if schema.KindOf(err) != schema.Forbidden {
		t.Errorf("RotateKey = %v", err)
	}
}
