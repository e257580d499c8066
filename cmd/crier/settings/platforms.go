package settings

import (
	"fmt"
	"slices"
	"strings"

	"crier/connectors/catalog"
	"crier/schema"
)

const platformSecret = "client-secret"

// keysOf are the settings of a platform; a secret may be in a file of its own.
func keysOf(p schema.Platform) []string {
	keys := []string{"url", "auth-url", "client-id", platformSecret, platformSecret + "-file"}
	connecting := catalog.Connecting(p)
	if connecting.ChoosesScopes {
		keys = append(keys, "scopes")
	}
	if connecting.Version != "" {
		keys = append(keys, "version")
	}
	if p == schema.YouTube {
		keys = append(keys, "daily-uploads", "daily-units")
	}
	return keys
}

func (s *Settings) variableOf(p schema.Platform, key string) string {
	return s.prefix + strings.ToUpper(strings.ReplaceAll(p.String()+"-"+key, "-", "_"))
}

// hasPlatform reports whether a key such as platforms.twitter.client-id is a setting.
func (s *Settings) hasPlatform(key string) bool {
	name, setting, ok := strings.Cut(strings.TrimPrefix(key, platformsKey+"."), ".")
	p, err := schema.ParsePlatform(name)
	return ok && err == nil && slices.Contains(keysOf(p), setting)
}

// Lookup returns the value of a variable of a platform, such as CRIER_TWITTER_CLIENT_ID, or
// what the configuration file has in its place: client-id under platforms and twitter.
func (s *Settings) Lookup(variable string) (string, bool) {
	text, _ := s.lookupPlatform(variable)
	return text, text != ""
}

func (s *Settings) lookupPlatform(variable string) (text, origin string) {
	if text, ok := s.lookup(variable); ok && text != "" {
		return text, variable
	}
	for _, p := range schema.Platforms() {
		upper := s.prefix + strings.ToUpper(strings.ReplaceAll(p.String(), "-", "_")) + "_"
		setting, ok := strings.CutPrefix(variable, upper)
		if !ok {
			continue
		}
		setting = strings.ToLower(strings.ReplaceAll(setting, "_", "-"))
		e := s.file.entries[fmt.Sprintf("%s.%s.%s", platformsKey, p, setting)]
		if s.overridden(upper, setting) {
			continue
		}
		return e.text, e.origin
	}
	return "", ""
}

// overridden reports whether the environment has the other form of a secret, which counts for
// more than what the file has.
func (s *Settings) overridden(upper, setting string) bool {
	var other string
	switch setting {
	case platformSecret:
		other = "CLIENT_SECRET_FILE"
	case platformSecret + "-file":
		other = "CLIENT_SECRET"
	default:
		return false
	}
	text, _ := s.lookup(upper + other)
	return text != ""
}
