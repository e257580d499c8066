package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

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
	a.connect(a.workspace, schema.Mastodon, "m")
	cleanup := s.cleanup(a, time.Now)
	expire := func() {
		t.Helper()
		a.exec(`update media set expires_at = now() - interval '1 second'`)
		if err := cleanup.Remove(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for platform, setting := range mediaSettings {
		media := a.upload(pngOf(t, 8, 8))
		post := "/posts/" + a.call(http.MethodPost, "/posts", covered(platform, setting, media.at("url").text())).want(http.StatusCreated).at("post", "id").text()
		path := "/media/" + media.at("id").text()
		expire()
		a.call(http.MethodGet, path, nil).want(http.StatusOK)
		a.call(http.MethodPatch, post, `{"content": "y"}`).want(http.StatusOK)
		expire()
		a.call(http.MethodGet, path, nil).want(http.StatusOK)
		a.call(http.MethodDelete, path, nil).fails(http.StatusBadRequest, "invalid_state")
		a.call(http.MethodPatch, post, `{"platformSettings": {}}`).want(http.StatusOK)
		a.call(http.MethodDelete, path, nil).want(http.StatusOK)
	}
}

func TestAddressesInSettingsAreCheckedAsThoseOfMedia(t *testing.T) {
	a, _ := newMediaAPI(t)
	a.connect(a.workspace, schema.Mastodon, "m")
	uploaded := a.upload(pngOf(t, 8, 8)).at("url").text()
	theirs, theirKey := a.tenant("other", "operator", schema.Admin)
	a.connect(theirs, schema.Mastodon, "o")
	for platform, setting := range mediaSettings {
		field := "platformSettings." + platform + "." + setting
		draft := "/posts/" + a.call(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`).want(http.StatusCreated).at("post", "id").text()
		for name, tt := range map[string]struct{ key, address, code string }{
			"this machine":      {a.key, "http://[::1]/a.png", "url_invalid"},
			"a private network": {a.key, "https://10.0.0.7/a.png", "url_invalid"},
			"another's upload":  {theirKey, uploaded, "media_unknown"},
			"without a secret":  {a.key, uploaded[:len(uploaded)-10], "media_unknown"},
			"no address":        {a.key, "cover.png", "setting_invalid"},
		} {
			t.Run(platform+" "+name, func(t *testing.T) {
				a.under(t)
				wrong := []*answer{a.callWith(tt.key, http.MethodPost, "/posts", covered(platform, setting, tt.address))}
				if tt.key == a.key {
					wrong = append(wrong, a.call(http.MethodPatch, draft, fmt.Sprintf(`{"platformSettings": {%q: {%q: %q}}}`, platform, setting, tt.address)))
				}
				for _, got := range wrong {
					details := got.fails(http.StatusBadRequest, "validation_error").at("details")
					if one := details.at(0); details.size() != 1 || one.at("field").text() != field || one.at("code").text() != tt.code {
						t.Errorf("details = %v, want %s of %s", details, tt.code, field)
					}
				}
			})
		}
	}
}
