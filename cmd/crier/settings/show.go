package settings

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"

	"crier/schema"
	"crier/schema/spelling"
)

// Show writes the settings that are in effect as a configuration file, each with where it
// comes from, and without secrets.
func (s *Settings) Show(c *kong.Context, to io.Writer) error {
	typed := s.typed(c)
	for _, flag := range s.settable(c) {
		text := valueOf(flag)
		if text == "" {
			continue
		}
		origin := s.origins[flag.Name]
		switch {
		case slices.Contains(typed, flag):
			origin = "command line"
		case origin == "":
			origin = "default"
		}
		if flag.Tag.Has(tagSecret) {
			text = redact(text)
		}
		if chosen := flag.Tag.Get(tagUnset); chosen != "" && text == "0" {
			origin += ": " + chosen
		}
		if err := line(to, flag.Name, quoted(flag, text), origin); err != nil {
			return err
		}
	}
	return s.showPlatforms(to)
}

// settable is the flags of the selected command and of the program that a file may give.
func (s *Settings) settable(c *kong.Context) []*kong.Flag {
	var flags []*kong.Flag
	for _, group := range c.Selected().AllFlags(true) {
		for _, flag := range group {
			if s.keyOf(flag) != "" {
				flags = append(flags, flag)
			}
		}
	}
	return flags
}

func (s *Settings) showPlatforms(to io.Writer) error {
	heading := platformsKey + ":\n"
	for _, p := range schema.Platforms() {
		name := "  " + p.String() + ":\n"
		for _, setting := range keysOf(p) {
			text, origin := s.lookupPlatform(s.variableOf(p, setting))
			if text == "" {
				continue
			}
			if setting == platformSecret {
				text = redacted
			}
			if _, err := io.WriteString(to, heading+name); err != nil {
				return fmt.Errorf("showing the settings: %w", err)
			}
			heading, name = "", ""
			if err := line(to, "    "+setting, quote(text), origin); err != nil {
				return err
			}
		}
	}
	return nil
}

func line(to io.Writer, name, value, origin string) error {
	if _, err := fmt.Fprintf(to, "%s: %s  # %s\n", name, value, origin); err != nil {
		return fmt.Errorf("showing the settings: %w", err)
	}
	return nil
}

// quoted is a value as YAML: numbers and switches stand as they are.
func quoted(flag *kong.Flag, text string) string {
	if kind := flag.Target.Kind(); kind == reflect.Bool || flag.Target.CanInt() && text == strconv.FormatInt(flag.Target.Int(), 10) {
		return text
	}
	return quote(text)
}

func quote(text string) string {
	encoded, err := yaml.Marshal(text)
	if err != nil {
		return strconv.Quote(text) // no text is known that cannot be encoded
	}
	return strings.TrimSpace(string(encoded))
}

// valueOf is a flag's value as it would be given.
func valueOf(flag *kong.Flag) string {
	v := flag.Target
	switch value := v.Interface().(type) {
	case time.Duration:
		return brief(value)
	case time.Time:
		if value.IsZero() {
			return ""
		}
		return value.Format(time.RFC3339Nano)
	}
	switch v.Kind() {
	case reflect.Slice:
		var all []string
		for i := range v.Len() {
			all = append(all, fmt.Sprint(v.Index(i).Interface()))
		}
		return strings.Join(all, ",")
	case reflect.Map:
		var all []string
		for _, key := range v.MapKeys() {
			all = append(all, fmt.Sprintf("%v=%v", key.Interface(), v.MapIndex(key).Interface()))
		}
		slices.Sort(all)
		return strings.Join(all, ",")
	default:
		return fmt.Sprint(v.Interface())
	}
}

// brief is a duration without the zeros that Go writes after it: 24h rather than 24h0m0s.
func brief(wait time.Duration) string {
	text := wait.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// notOurs are variables that begin as crier's do and are not meant for it: of its tests, of what images
// call their version, and those that Kubernetes sets for a service called crier.
var notOurs = regexp.MustCompile(`^(TEST_.*|VERSION|TAG|(.+_)?SERVICE_(HOST|PORT(_.+)?)|(.+_)?PORT(_[0-9]+_(TCP|UDP)(_.+)?)?)$`)

// Unread says of each variable of the environment that nothing reads it, and which may be meant.
func (s *Settings) Unread(environment []string) []error {
	read := []string{s.prefix + "CACHE"}
	for flag := range s.names {
		read = append(read, s.Variables(flag)...)
	}
	for _, p := range schema.Platforms() {
		for _, key := range keysOf(p) {
			read = append(read, s.variableOf(p, key))
		}
	}
	var unread []error
	for _, pair := range slices.Sorted(slices.Values(environment)) {
		name, value, _ := strings.Cut(pair, "=")
		own, isOwn := strings.CutPrefix(name, s.prefix)
		if isOwn && value != "" && !slices.Contains(read, name) && !notOurs.MatchString(own) {
			unread = append(unread, fmt.Errorf("%s is set, and crier reads no such variable%s", name, spelling.DidYouMean(name, read)))
		}
	}
	return unread
}

// Readable is the configuration file where it holds a secret that other users of the machine
// can read.
func (s *Settings) Readable() (path string, ok bool) {
	info, err := os.Stat(s.file.path)
	if s.file.path == "" || err != nil || info.Mode().Perm()&0o004 == 0 {
		return "", false
	}
	for _, key := range s.file.keys {
		text := s.file.entries[key].text
		flag := s.known[key]
		if flag != nil && flag.Tag.Has(tagSecret) && redact(text) != text || strings.HasSuffix(key, "."+platformSecret) {
			return s.file.path, true
		}
	}
	return "", false
}
