package posts_test

import (
	"net/http"
	"reflect"
	"testing"

	"crier/gateway/gatewaytest"
	"crier/schema"
	"crier/schema/postgres"
)

// TestNobodySeesThatAPostIsInHistory reads, lists, retries and deletes posts that were archived.
func TestNobodySeesThatAPostIsInHistory(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.Bluesky, "a.bsky.social")
	failed := createFailedPost(a)
	cancelled := "/posts/" + a.Request(http.MethodPost, "/posts", `{"content": "y", "platforms": ["mastodon"], `+a.InAnHour()+`}`).
		Want(http.StatusCreated).At("post", "id").Text()
	a.Request(http.MethodDelete, cancelled, nil).Want(http.StatusOK)
	reads := []string{
		failed, cancelled, failed + "/attempts", cancelled + "/attempts", "/posts", "/posts?platform=bluesky", "/posts?status=cancelled", "/posts?q=y",
	}
	before := map[string]any{}
	for _, path := range reads {
		before[path] = a.Request(http.MethodGet, path, nil).Want(http.StatusOK).Value
	}

	a.Exec(`delete from jobs`) // failed leaves it
	a.Exec(`update posts set updated_at = updated_at - interval '1 hour'`)
	a.Exec(`update ended_posts set ended_at = ended_at - interval '1 hour'`)
	delay := postgres.NewDelay(a.Store)
	noted, _, err := delay.Archive(t.Context())
	if err != nil || noted != 1 {
		t.Fatalf("%d posts were archived, %v; want the cancelled one", noted, err)
	}
	unnoted, _, err := delay.ArchiveUnnoted(t.Context())
	if err != nil || unnoted != 1 {
		t.Fatalf("%d posts were archived, %v; want the failed one", unnoted, err)
	}

	for _, path := range reads {
		after := a.Request(http.MethodGet, path, nil).Want(http.StatusOK).Value
		if !reflect.DeepEqual(withoutUpdates(after), withoutUpdates(before[path])) {
			t.Errorf("%s was\n%v\nand is\n%v", path, before[path], after)
		}
	}
	a.Request(http.MethodPatch, failed, `{"content": "z"}`).WantError(http.StatusBadRequest, "invalid_state")
	a.Request(http.MethodPost, cancelled+"/retry", nil).WantError(http.StatusBadRequest, "invalid_state")
	if method := a.Request(http.MethodDelete, cancelled, nil).Want(http.StatusOK).At("method").Text(); method != "cancelled" {
		t.Errorf("deleted again as %q", method)
	}
	a.Request(http.MethodPost, failed+"/retry", nil).Want(http.StatusOK)
	a.Request(http.MethodDelete, failed, nil).Want(http.StatusOK)
	if n := a.Request(http.MethodGet, "/posts?status=cancelled", nil).Want(http.StatusOK).At("posts").Len(); n != 2 {
		t.Errorf("%d posts are cancelled, want both", n)
	}
}

// withoutUpdates leaves out of an answer when posts were changed, which the test has moved.
func withoutUpdates(value any) any {
	switch value := value.(type) {
	case map[string]any:
		rest := map[string]any{}
		for name, inner := range value {
			if name != "updatedAt" {
				rest[name] = withoutUpdates(inner)
			}
		}
		return rest
	case []any:
		rest := make([]any, len(value))
		for i, inner := range value {
			rest[i] = withoutUpdates(inner)
		}
		return rest
	default:
		return value
	}
}
