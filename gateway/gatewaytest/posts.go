package gatewaytest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

// CreatePost makes a post on mastodon and returns its path.
func (a *API) CreatePost(mode string) string {
	a.Helper()
	body := `{"content": "x", "platforms": ["mastodon"], "mediaItems": [{"type": "image", "url": "https://media.example/a.png"}], "firstComment": "y", ` + mode + `}`
	return "/posts/" + a.Request(http.MethodPost, "/posts", body).Want(http.StatusCreated).At("post", "id").Text()
}

// InAnHour is the member of a post's body that schedules it.
func (a *API) InAnHour() string { return `"scheduledFor": "` + a.In(time.Hour) + `"` }

// FinishTarget takes a target of a post one step on, as the pipeline does.
func (a *API) FinishTarget(publish *postgres.Publish, id schema.PostID, n int16, outcome schema.Outcome) {
	a.Helper()
	claimed, err := publish.Claim(context.Background(), []schema.TargetRef{{Post: id, N: n, Version: 1}})
	if err != nil || len(claimed) != 1 {
		a.Fatalf("claimed %v, %v", claimed, err)
	}
	if err := publish.Finish(context.Background(), claimed[0].After(outcome, a.Store.Now(), 0)); err != nil {
		a.Fatal(err)
	}
}

// NoComments are constraints of a platform that takes no comments.
func NoComments(p schema.Platform) schema.Constraints { return schema.Constraints{Platform: p} }

// Zeros is a text of n zeros.
func Zeros(n int) string { return fmt.Sprintf("%0*d", n, 0) }

// FillDay fills the mastodon day that posts of body are for, except some units.
func (a *API) FillDay(body string, left int) {
	a.Helper()
	for n := 50 - left; n > 0; n -= 25 {
		posts := strings.TrimSuffix(strings.Repeat(body+",", min(n, 25)), ",")
		a.Request(http.MethodPost, "/posts/bulk", `{"posts": [`+posts+`]}`).Want(http.StatusCreated)
	}
}

// Noon is the middle of a day ahead. Who asks for it twice stops the clock, for a test may run over
// midnight.
func (a *API) Noon(daysAhead int) time.Time {
	return schema.DayOf(a.Now()).AddDate(0, 0, daysAhead).Add(12 * time.Hour)
}

// MastodonPostAt is the body of a post on mastodon at a time.
func (a *API) MastodonPostAt(at time.Time) string {
	return fmt.Sprintf(`{"content": "x", "platforms": ["mastodon"], "scheduledFor": %q}`, at.Format(time.RFC3339))
}

// WantLimiWarning fails the test unless a list warns of the parameter limi.
func (a *API) WantLimiWarning(path string) {
	a.Helper()
	warnings := a.Request(http.MethodGet, path, nil).Want(http.StatusOK).At("warnings")
	if warnings.Len() != 1 || warnings.At(0, "field").Text() != "limi" || warnings.At(0, "code").Text() != "unknown_field" {
		a.Errorf("%s warns of %v", path, warnings)
	}
}
