package main

import (
	"maps"
	"testing"

	"crier/connectors"
	"crier/schema"
)

func TestVersionsOfPlatforms(t *testing.T) {
	for version, want := range map[string]string{"": "", "202609": "202609", "202613": "error", "2026-09": "error", "latest": "error"} {
		versions, err := platformVersions(func(name string) (string, bool) {
			return version, name == "CRIER_LINKEDIN_VERSION"
		})
		if got := versions[schema.LinkedIn]; (err != nil) != (want == "error") || err == nil && got != want {
			t.Errorf("version %q is read as %q, %v", version, got, err)
		}
	}
}

func TestPlatformApps(t *testing.T) {
	set := map[string]string{
		"CRIER_TWITTER_CLIENT_ID": "x", "CRIER_TWITTER_CLIENT_SECRET": "s", "CRIER_TWITTER_SCOPES": "none",
		"CRIER_LINKEDIN_CLIENT_ID": "l", "CRIER_LINKEDIN_SCOPES": " openid  profile ",
		"CRIER_THREADS_SCOPES":   "of no app",
		"CRIER_TIKTOK_CLIENT_ID": "t", "CRIER_TIKTOK_SCOPES": "user.info.basic video.publish",
		"CRIER_YOUTUBE_CLIENT_ID": "y", "CRIER_YOUTUBE_DAILY_UPLOADS": "1600",
	}
	lookup := func(name string) (string, bool) {
		value, ok := set[name]
		return value, ok
	}
	apps, err := platformApps(lookup)
	want := map[schema.Platform]connectors.App{
		schema.Twitter: {ID: "x", Secret: "s"}, schema.LinkedIn: {ID: "l", Scope: "openid profile"},
		schema.TikTok: {ID: "t", Scope: "user.info.basic video.publish"}, schema.YouTube: {ID: "y", Uploads: 1600},
	}
	if err != nil || !maps.Equal(apps, want) {
		t.Errorf("apps %v, %v", apps, err)
	}
	for _, none := range []string{"0", "-1", "many"} {
		set["CRIER_YOUTUBE_DAILY_UNITS"] = none
		if _, err := platformApps(lookup); err == nil {
			t.Errorf("%q units are taken", none)
		}
	}
}

func TestPlatformAddresses(t *testing.T) {
	set := map[string]string{
		"CRIER_TWITTER_URL": "http://127.0.0.1:8090/twitter/", "CRIER_TWITTER_AUTH_URL": "https://x.example", "CRIER_GOOGLE_BUSINESS_AUTH_URL": "",
	}
	lookup := func(name string) (string, bool) {
		value, ok := set[name]
		return value, ok
	}
	for ending, want := range map[string]string{"_URL": "http://127.0.0.1:8090/twitter", "_AUTH_URL": "https://x.example"} {
		got, err := platformAddresses(lookup, ending)
		if err != nil || !maps.Equal(got, map[schema.Platform]string{schema.Twitter: want}) {
			t.Errorf("%s: %v, %v", ending, got, err)
		}
	}
	set["CRIER_TWITTER_AUTH_URL"] = "x.example"
	if _, err := platformAddresses(lookup, "_AUTH_URL"); err == nil {
		t.Error("an address without a scheme is taken")
	}
}
