package gateway_test

import (
	"net/http"
	"reflect"
	"testing"

	"crier/schema"
	"crier/schema/postgres"
)

// TestNobodySeesThatAPostIsInHistory reads, lists, retries and deletes posts that were archived.
func TestNobodySeesThatAPostIsInHistory(t *testing.T) {
	a := newAPI(t)
	a.connect(a.workspace, schema.Mastodon, "@a")
	a.connect(a.workspace, schema.Bluesky, "a.bsky.social")
	failed := a.failed()
	cancelled := "/posts/" + a.call(http.MethodPost, "/posts", `{"content": "y", "platforms": ["mastodon"], `+a.inAnHour()+`}`).
		want(http.StatusCreated).at("post", "id").text()
	a.call(http.MethodDelete, cancelled, nil).want(http.StatusOK)
	reads := []string{
		failed, cancelled, failed + "/attempts", cancelled + "/attempts", "/posts", "/posts?platform=bluesky", "/posts?status=cancelled", "/posts?q=y",
	}
	before := map[string]any{}
	for _, path := range reads {
		before[path] = a.call(http.MethodGet, path, nil).want(http.StatusOK).value
	}

	a.exec(`delete from jobs`) // failed leaves it
	a.exec(`update posts set updated_at = updated_at - interval '1 hour'`)
	a.exec(`update ended_posts set ended_at = ended_at - interval '1 hour'`)
	delay := postgres.NewDelay(a.store)
	noted, _, err := delay.Archive(t.Context())
	if err != nil || noted != 1 {
		t.Fatalf("%d posts were archived, %v; want the cancelled one", noted, err)
	}
	unnoted, _, err := delay.ArchiveUnnoted(t.Context())
	if err != nil || unnoted != 1 {
		t.Fatalf("%d posts were archived, %v; want the failed one", unnoted, err)
	}

	for _, path := range reads {
		after := a.call(http.MethodGet, path, nil).want(http.StatusOK).value
		if !reflect.DeepEqual(withoutUpdates(after), withoutUpdates(before[path])) {
			t.Errorf("%s was\n%v\nand is\n%v", path, before[path], after)
		}
	}
	a.call(http.MethodPatch, failed, `{"content": "z"}`).fails(http.StatusBadRequest, "invalid_state")
	a.call(http.MethodPost, cancelled+"/retry", nil).fails(http.StatusBadRequest, "invalid_state")
	if method := a.call(http.MethodDelete, cancelled, nil).want(http.StatusOK).at("method").text(); method != "cancelled" {
		t.Errorf("deleted again as %q", method)
	}
	a.call(http.MethodPost, failed+"/retry", nil).want(http.StatusOK)
	a.call(http.MethodDelete, failed, nil).want(http.StatusOK)
	if n := a.call(http.MethodGet, "/posts?status=cancelled", nil).want(http.StatusOK).at("posts").size(); n != 2 {
		t.Errorf("%d posts are cancelled, want both", n)
	}
}

// withoutUpdates leaves out of an answer when posts were changed, which the test has moved.
func withoutUpdates(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, inner := range value {
			if name != "updatedAt" {
				kept[name] = withoutUpdates(inner)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(value))
		for i, inner := range value {
			kept[i] = withoutUpdates(inner)
		}
		return kept
	default:
		return value
	}
}
