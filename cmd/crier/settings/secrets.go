package settings

import (
	"net/url"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Exposed names the flags by which the command line gives a secret away, each with where it
// belongs.
func (s *Settings) Exposed(c *kong.Context) map[string]string {
	exposed := map[string]string{}
	for _, flag := range s.typed(c) {
		text := valueOf(flag)
		if flag.Tag.Has(tagSecret) && text != redact(text) {
			exposed["--"+flag.Name] = s.elsewhere(flag)
		}
	}
	return exposed
}

// typed is the flags that the command line gives.
func (s *Settings) typed(c *kong.Context) []*kong.Flag {
	var flags []*kong.Flag
	for _, p := range c.Path {
		if p.Flag != nil && !p.Resolved && !slices.Contains(flags, p.Flag) {
			flags = append(flags, p.Flag)
		}
	}
	return flags
}

// elsewhere is where a secret belongs.
func (s *Settings) elsewhere(flag *kong.Flag) string {
	places := s.names[flag] + ", " + s.names[flag] + "_FILE"
	if s.keyOf(flag) != "" {
		places += " or the file of --config"
	}
	return places
}

const redacted = "(redacted)"

// secretParameters are those of URLs that hold secrets.
var secretParameters = []string{"password", "sslpassword", "secret"}

// redact hides what is secret: the password of a URL, anything that is none.
func redact(text string) string {
	u, err := url.Parse(text)
	if text == "" {
		return ""
	}
	if err != nil || u.Host == "" {
		return redacted
	}
	hidden := u.Query()
	changed := false
	for name := range hidden {
		if slices.Contains(secretParameters, strings.ToLower(name)) {
			hidden.Set(name, redacted)
			changed = true
		}
	}
	if changed {
		u.RawQuery = hidden.Encode()
	}
	if _, has := u.User.Password(); !has && !changed {
		return text
	}
	return unescaped(u)
}

// unescaped is a URL with "***" in place of its password.
func unescaped(u *url.URL) string {
	user := u.User.Username()
	if _, has := u.User.Password(); !has {
		return u.String()
	}
	u.User = nil
	scheme, rest, _ := strings.Cut(u.String(), "://")
	return scheme + "://" + url.PathEscape(user) + ":***@" + rest
}
