package media_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

// mediaSettings are the settings that are addresses of media, by platform.
var mediaSettings = map[string]string{"instagram": "coverUrl", "youtube": "thumbnailUrl", "pinterest": "coverImageUrl"}

// covered is a draft with a setting that is the address of a picture.
func covered(platform, setting, address string) string {
	return fmt.Sprintf(`{"content": "x", "platforms": ["mastodon"], "status": "draft", "platformSettings": {%q: {%q: %q}}}`, platform, setting, address)
}

func TestUploadsThatSettingsNameStayAsLongAsThePost(t *testing.T) {
	a, s := newMediaAPI(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "m")
	cleanup := s.Cleanup(a, time.Now)
	expire := func() {
		t.Helper()
		a.Exec(`update media set expires_at = now() - interval '1 second'`)
		if err := cleanup.Remove(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for platform, setting := range mediaSettings {
		media := a.Upload(gatewaytest.PNG(t, 8, 8))
		post := "/posts/" + a.Request(http.MethodPost, "/posts", covered(platform, setting, media.At("url").Text())).Want(http.StatusCreated).At("post", "id").Text()
		path := "/media/" + media.At("id").Text()
		expire()
		a.Request(http.MethodGet, path, nil).Want(http.StatusOK)
		a.Request(http.MethodPatch, post, `{"content": "y"}`).Want(http.StatusOK)
		expire()
		a.Request(http.MethodGet, path, nil).Want(http.StatusOK)
		a.Request(http.MethodDelete, path, nil).WantError(http.StatusBadRequest, "invalid_state")
		a.Request(http.MethodPatch, post, `{"platformSettings": {}}`).Want(http.StatusOK)
		a.Request(http.MethodDelete, path, nil).Want(http.StatusOK)
	}
}

func TestAddressesInSettingsAreCheckedAsThoseOfMedia(t *testing.T) {
	a, _ := newMediaAPI(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "m")
	uploaded := a.Upload(gatewaytest.PNG(t, 8, 8)).At("url").Text()
	theirs, theirKey := a.CreateWorkspace("other", "operator", schema.Admin)
	a.AddAccount(theirs, schema.Mastodon, "o")
	for platform, setting := range mediaSettings {
		field := "platformSettings." + platform + "." + setting
		draft := "/posts/" + a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`).Want(http.StatusCreated).At("post", "id").Text()
		for name, tt := range map[string]struct{ key, address, code string }{
			"this machine":      {a.Key, "http://[::1]/a.png", "url_invalid"},
			"a private network": {a.Key, "https://10.0.0.7/a.png", "url_invalid"},
			"another's upload":  {theirKey, uploaded, "media_unknown"},
			"without a secret":  {a.Key, uploaded[:len(uploaded)-10], "media_unknown"},
			"no address":        {a.Key, "cover.png", "setting_invalid"},
		} {
			t.Run(platform+" "+name, func(t *testing.T) {
				a.Under(t)
				wrong := []*gatewaytest.Response{a.RequestWith(tt.key, http.MethodPost, "/posts", covered(platform, setting, tt.address))}
				if tt.key == a.Key {
					wrong = append(wrong, a.Request(http.MethodPatch, draft, fmt.Sprintf(`{"platformSettings": {%q: {%q: %q}}}`, platform, setting, tt.address)))
				}
				for _, got := range wrong {
					details := got.WantError(http.StatusBadRequest, "validation_error").At("details")
					if detail := details.At(0); details.Len() != 1 || detail.At("field").Text() != field || detail.At("code").Text() != tt.code {
						t.Errorf("details = %v, want %s of %s", details, tt.code, field)
					}
				}
			})
		}
	}
}
