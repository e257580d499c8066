package main

import (
	"testing"

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
