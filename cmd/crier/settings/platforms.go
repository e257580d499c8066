package settings

import (
	"fmt"
	"slices"
	"strings"

	"crier/schema"
)

// platformKeys are the settings of one platform; a secret may be in a file of its own.
var platformKeys = []string{"url", "auth-url", "client-id", "client-secret", "scopes", "version"}

const platformSecret = "client-secret"

// hasPlatform reports whether a key such as platforms.twitter.client-id is a setting.
func (s *Settings) hasPlatform(key string) bool {
	name, setting, ok := strings.Cut(strings.TrimPrefix(key, platformsKey+"."), ".")
	_, err := schema.ParsePlatform(name)
	return ok && err == nil && (slices.Contains(platformKeys, setting) || setting == platformSecret+"-file")
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
