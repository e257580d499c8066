package bluesky

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// FuzzToken holds that no token passes but those that were made, unchanged.
func FuzzToken(f *testing.F) {
	now := func() time.Time { return time.Unix(1772600767, 0) }
	issuer := &tokens{now: now, rotated: map[string]rotation{}}
	pair := issuer.pair(identity{did: "did:plc:x", handle: "a.example"})
	for _, token := range []string{pair.Access, pair.Refresh, pair.Access + "x", "a.b.c", "..", ".", "", "e30.e30." + signature("e30.e30"), strings.ToUpper(pair.Access)} {
		f.Add(token)
	}
	f.Fuzz(func(t *testing.T, token string) {
		request := &http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}}
		c, err := issuer.verify(request, accessScope)
		if signed := strings.LastIndexByte(token, '.'); err == nil && signature(token[:signed]) != token[signed+1:] {
			t.Errorf("a token that was not signed passes: %+v", c)
		}
	})
}
