package posts_test

import (
	"fmt"
	"net/http"
	"testing"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

func TestValidationSaysWhatEachPlatformTakes(t *testing.T) {
	a := gatewaytest.New(t)
	answer := a.Request(http.MethodPost, "/posts/validate", `{"content": "see https://example.com/a/long/address", "platforms": ["twitter", "bluesky", "instagram"], "firstComment": "c"}`).
		Want(http.StatusOK).At("validation")
	for field, want := range map[string]any{
		"isValid":                               false,
		"platforms.twitter.valid":               true,
		"platforms.twitter.contentLength":       27.0, // a url counts 23
		"platforms.twitter.maxLength":           280.0,
		"platforms.twitter.remainingCharacters": 253.0,
		"platforms.twitter.mediaValid":          true,
		"platforms.twitter.errors":              nil,
		"platforms.bluesky.contentLength":       38.0,
		"platforms.instagram.valid":             false,
		"platforms.instagram.mediaValid":        false,
		"errors.0.field":                        "mediaItems",
		"errors.0.platform":                     "instagram",
		"errors.0.code":                         "media_required",
	} {
		if got := answer.Dotted(field); got != want {
			t.Errorf("%s = %v, want %v", field, got, want)
		}
	}
	if answer.At("platforms", "instagram", "errors").Len() != 1 {
		t.Errorf("validation = %v, want one error of instagram's", answer)
	}
}

func TestValidationFindsATimeThatIsNone(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	for at, valid := range map[string]bool{"garbage": false, "2026-03-29T02:30:00": false, "2020-01-01T00:00:00": true} {
		found := a.Request(http.MethodPost, "/posts/validate", `{"content": "x", "platforms": ["mastodon"], "scheduledFor": "`+at+`", "timezone": "Europe/Berlin"}`).
			Want(http.StatusOK).At("validation")
		if found.At("isValid").Value != valid || !valid && found.At("errors", 0, "code").Text() != "time_invalid" {
			t.Errorf("%s: %v", at, found)
		}
	}
}

// Validation and creation are one code: what one says the other does.
func TestValidationFindsWhatACreationFinds(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.AddAccount(a.Workspace, schema.Telegram, "@channel")
	for name, body := range map[string]string{
		"valid":                      `{"content": "x", "platforms": ["mastodon"]}`,
		"too long":                   `{"content": "` + gatewaytest.Zeros(501) + `", "platforms": ["mastodon", "telegram"]}`,
		"too long for one by itself": `{"content": "x", "platforms": [{"platform": "mastodon", "content": "` + gatewaytest.Zeros(501) + `"}]}`,
		"a setting":                  `{"content": "x", "platforms": ["mastodon"], "platformSettings": {"mastodon": {"visibility": "loud", "colour": "red"}}}`,
		"nothing to publish":         `{"platforms": ["mastodon"]}`,
		"a comment on one of two":    `{"content": "x", "platforms": ["mastodon", "telegram"], "firstComment": "c"}`,
		"a comment nobody takes":     `{"content": "x", "platforms": ["telegram"], "firstComment": "c"}`,
		"an empty comment":           `{"content": "x", "platforms": ["mastodon"], "firstComments": [{"target": 0, "text": " "}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			validation := a.Request(http.MethodPost, "/posts/validate", body).Want(http.StatusOK).At("validation")
			created := a.Request(http.MethodPost, "/posts", body[:len(body)-1]+`, "status": "draft"}`)
			if valid := validation.At("isValid").Value.(bool); !valid {
				e := created.WantError(http.StatusBadRequest, "validation_error")
				if fmt.Sprint(e.At("details")) != fmt.Sprint(validation.At("errors")) {
					t.Errorf("validation found\n%v\ncreation\n%v", validation.At("errors"), e.At("details"))
				}
				return
			}
			if got := created.Want(http.StatusCreated); fmt.Sprint(got.At("warnings")) != fmt.Sprint(validation.At("warnings")) &&
				validation.At("warnings").Len()+got.At("warnings").Len() > 0 {
				t.Errorf("validation warned of\n%v\ncreation of\n%v", validation.At("warnings"), got.At("warnings"))
			}
		})
	}
}

func TestValidationCreatesNothingAndRefusesWhatIsNoPost(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.Request(http.MethodPost, "/posts/validate", `{"content": "x", "platforms": ["mastodon"], "publishNow": true}`).Want(http.StatusOK)
	if n := a.Request(http.MethodGet, "/posts", nil).Want(http.StatusOK).At("posts").Len(); n != 0 {
		t.Errorf("%d posts, want none", n)
	}
	for body, field := range map[string]string{
		`{"content": "x"}`:                                               "platforms",
		`{"content": "x", "platforms": []}`:                              "platforms",
		`{"content": "x", "platforms": ["myspace"]}`:                     "platforms[0]",
		`{"content": 1, "platforms": ["mastodon"]}`:                      "content",
		`{"content": "x", "platforms": ["mastodon"], "scheduledFor": 7}`: "scheduledFor",
		`{"content": "x", "platforms": ["mastodon"], "mediaItems": [{"type": "image", "url": "file:///etc/passwd"}]}`:      "mediaItems[0].url",
		`{"content": "x", "platforms": ["mastodon"], "mediaItems": [{"type": "image", "url": "http://internal.example"}]}`: "mediaItems[0].url",
	} {
		e := a.Request(http.MethodPost, "/posts/validate", body).WantError(http.StatusBadRequest, "validation_error")
		if got := e.At("details", 0, "field").Text(); got != field {
			t.Errorf("%s: details = %v, want %s", body, e.At("details"), field)
		}
	}
}

// What a creation finds of accounts, brands, uploads and zones stands in the validation; when a post
// is to go out is another matter.
func TestValidationTellsOfWhatIsNotThere(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	for name, tt := range map[string]struct{ body, field string }{
		"an account":            {`{"content": "x", "platforms": [{"platform": "mastodon", "accountId": "acc_x"}]}`, "platforms[0].accountId"},
		"the account once more": {`{"content": "x", "platforms": ["mastodon", "mastodon"]}`, "platforms[1]"},
		"a brand":               {`{"content": "x", "platforms": ["mastodon"], "brandId": "brand_x"}`, "brandId"},
		"an upload":             {`{"content": "x", "platforms": ["mastodon"], "mediaItems": [{"mediaId": "media_01k9sr3q5wf2g8m7r4t0v1x2y3"}]}`, "mediaItems[0].mediaId"},
		"no upload's id":        {`{"content": "x", "platforms": ["mastodon"], "mediaItems": [{"mediaId": "x"}]}`, "mediaItems[0].mediaId"},
		"a zone":                {`{"content": "x", "platforms": ["mastodon"], "timezone": "Mars/Base"}`, "timezone"},
	} {
		t.Run(name, func(t *testing.T) {
			a.Under(t)
			found := a.Request(http.MethodPost, "/posts/validate", tt.body).Want(http.StatusOK).At("validation")
			created := a.Request(http.MethodPost, "/posts", tt.body[:len(tt.body)-1]+`, "status": "draft"}`).WantError(http.StatusBadRequest, "validation_error")
			if found.At("isValid").Value != false || found.At("errors", 0, "field").Text() != tt.field || fmt.Sprint(found.At("errors")) != fmt.Sprint(created.At("details")) {
				t.Errorf("validation found\n%v\ncreation\n%v, want %s", found.At("errors"), created.At("details"), tt.field)
			}
		})
	}
	for _, platform := range schema.Platforms()[1:6] {
		for n := range 25 { // among which a creation has to choose
			a.AddAccount(a.Workspace, platform, fmt.Sprint("account ", n))
		}
	}
	many := a.Request(http.MethodPost, "/posts/validate", `{"content": "x", "platforms": ["instagram", "facebook", "linkedin", "tiktok", "threads"], "brandId": "brand_x"}`).Want(http.StatusOK)
	if got := many.At("validation", "errors", 0, "field").Text(); got != "brandId" {
		t.Errorf("among many accounts: %v", many)
	}
}

func TestValidationWarnsOfTheOnlyAccountAsACreationDoes(t *testing.T) {
	a := gatewaytest.New(t)
	id := a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	a.Exec(`update accounts set needs_reconnect = true`)
	for _, platform := range []string{`"mastodon"`, `{"platform": "mastodon", "accountId": "` + id.String() + `"}`} {
		body := `{"content": "x", "platforms": [` + platform + `]`
		found := a.Request(http.MethodPost, "/posts/validate", body+`}`).Want(http.StatusOK)
		created := a.Request(http.MethodPost, "/posts", body+`, "status": "draft"}`).Want(http.StatusCreated)
		if got := found.At("validation", "warnings"); got.At(0, "code").Text() != "account_needs_reconnect" || fmt.Sprint(got) != fmt.Sprint(created.At("warnings")) {
			t.Errorf("%s: validation warns of\n%v\ncreation of\n%v", platform, got, created.At("warnings"))
		}
	}
}
