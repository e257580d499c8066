package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"crier/cmd/crier/settings"
	"crier/compose"
	"crier/connectors"
	"crier/connectors/catalog"
	"crier/schema"
)

// partsFlags say where the parts are; a command that works beside a running serve takes
// the same.
type partsFlags struct {
	Data string `default:"data" type:"path" help:"Folder of the embedded parts, the keyset, media and the sandbox; one process holds it at a time."`
	postgresFlags
	Keyset string `type:"path" unset:"keyset.json in --data" help:"File of the keys that seal credentials, the same for all processes of an installation."`

	lookup func(string) (string, bool) // of variables of platforms
}

// BeforeApply keeps where settings of platforms come from: the environment, or the file.
func (f *partsFlags) BeforeApply(s *settings.Settings) error { //nolint:unparam // as kong wants it
	f.lookup = s.Lookup
	return nil
}

// Validate refuses what does not fit together. It says all of it.
func (f partsFlags) Validate() error {
	_, err := f.platforms()
	return errors.Join(f.postgresFlags.Validate(), err)
}

func (f partsFlags) config(logger *slog.Logger) (compose.Config, error) {
	c, err := f.platforms()
	if err != nil {
		return compose.Config{}, err
	}
	c.Data, c.Keyset, c.Version, c.Logger, c.Registerer = f.Data, f.Keyset, buildVersion(), logger, newRegistry()
	c.Postgres, err = f.url()
	return c, err
}

// platforms is what is set for platforms. The error says all that is wrong with it.
func (f partsFlags) platforms() (c compose.Config, err error) {
	var wrong [4]error
	c.Bases, wrong[0] = platformAddresses(f.lookup, "_URL")
	c.ConsentURLs, wrong[1] = platformAddresses(f.lookup, "_AUTH_URL")
	c.Versions, wrong[2] = platformVersions(f.lookup)
	c.Apps, wrong[3] = platformApps(f.lookup)
	return c, errors.Join(wrong[:]...)
}

// partitionsFlag is how many partitions topics get when they are made.
type partitionsFlag struct {
	Partitions int `unset:"2 to 8 embedded, 32 on Kafka" help:"Partitions of each topic that is made, at most 256; topics that exist keep theirs."`
}

// Validate refuses what no topic can have.
func (f partitionsFlag) Validate() error {
	if f.Partitions < 0 || f.Partitions > schema.Shards {
		return fmt.Errorf("--partitions is %d: 1 to %d are wanted", f.Partitions, schema.Shards)
	}
	return nil
}

// on returns how many topics on a log get, whose brokers are named or embedded.
func (f partitionsFlag) on(kafka string) int {
	if f.Partitions == 0 && kafka != "" {
		return schema.KafkaPartitions
	}
	return f.Partitions
}

func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// platformAddresses reads an address of each platform: the base of its API, such as
// CRIER_MASTODON_URL or CRIER_GOOGLE_BUSINESS_URL, or that of its page of consent, such as
// CRIER_TWITTER_AUTH_URL.
func platformAddresses(lookup func(string) (string, bool), ending string) (map[schema.Platform]string, error) {
	addresses := map[schema.Platform]string{}
	for _, p := range schema.Platforms() {
		name := variableOf(p, ending)
		base, ok := lookup(name)
		if !ok || base == "" {
			continue
		}
		if !strings.HasPrefix(base, "http://") && !strings.HasPrefix(base, "https://") {
			return nil, fmt.Errorf("%s is %q: an http or https url is wanted", name, base)
		}
		addresses[p] = strings.TrimSuffix(base, "/")
	}
	return addresses, nil
}

var month = regexp.MustCompile(`^20[0-9]{2}(0[1-9]|1[0-2])$`)

// platformVersions reads which version of a platform's API is asked for, such as LinkedIn's month in
// CRIER_LINKEDIN_VERSION: each is served for a year or so.
func platformVersions(lookup func(string) (string, bool)) (map[schema.Platform]string, error) {
	versions := map[schema.Platform]string{}
	for _, p := range schema.Platforms() {
		name := variableOf(p, "_VERSION")
		version, _ := lookup(name)
		if version == "" || catalog.Connecting(p).Version == "" {
			continue
		}
		if !month.MatchString(version) {
			return nil, fmt.Errorf("%s is %q: a month as YYYYMM is wanted", name, version)
		}
		versions[p] = version
	}
	return versions, nil
}

// platformApps reads crier's OAuth client with each platform, such as CRIER_TWITTER_CLIENT_ID
// and CRIER_TWITTER_CLIENT_SECRET; the secret may stand in a file that
// CRIER_TWITTER_CLIENT_SECRET_FILE names. Apps that were not given all that crier asks for, and
// LinkedIn's, which are of two kinds, say what they were given, such as CRIER_LINKEDIN_SCOPES. What
// Google gives an app of a day is CRIER_YOUTUBE_DAILY_UPLOADS and CRIER_YOUTUBE_DAILY_UNITS.
func platformApps(lookup func(string) (string, bool)) (map[schema.Platform]connectors.App, error) {
	apps := map[schema.Platform]connectors.App{}
	for _, p := range schema.Platforms() {
		id, _ := lookup(variableOf(p, "_CLIENT_ID"))
		secret, err := secretOf(lookup, variableOf(p, "_CLIENT_SECRET"))
		if err != nil {
			return nil, err
		}
		if id == "" && secret != "" {
			return nil, fmt.Errorf("%s is set without %s", variableOf(p, "_CLIENT_SECRET"), variableOf(p, "_CLIENT_ID"))
		}
		if id == "" {
			continue
		}
		app := connectors.App{ID: id, Secret: secret}
		if catalog.Connecting(p).ChoosesScopes {
			scope, _ := lookup(variableOf(p, "_SCOPES"))
			app.Scope = strings.Join(strings.Fields(scope), " ")
		}
		if p == schema.YouTube {
			if app.Uploads, err = numberOf(lookup, variableOf(p, "_DAILY_UPLOADS")); err != nil {
				return nil, err
			}
			if app.Units, err = numberOf(lookup, variableOf(p, "_DAILY_UNITS")); err != nil {
				return nil, err
			}
		}
		apps[p] = app
	}
	return apps, nil
}

// numberOf reads a number above 0; 0 where none is set.
func numberOf(lookup func(string) (string, bool), name string) (int, error) {
	text, _ := lookup(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%s is %q: a number above 0 is wanted", name, text)
	}
	return n, nil
}

// secretOf reads a secret from a variable, or from the file that NAME_FILE names.
func secretOf(lookup func(string) (string, bool), name string) (string, error) {
	secret, _ := lookup(name)
	file, _ := lookup(name + "_FILE")
	switch {
	case file == "":
		return secret, nil
	case secret != "":
		return "", fmt.Errorf("only one of %s and %s_FILE can be set", name, name)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("reading %s_FILE: %w", name, err)
	}
	return strings.TrimSpace(string(content)), nil
}

func variableOf(p schema.Platform, ending string) string {
	return "CRIER_" + strings.ToUpper(strings.ReplaceAll(p.String(), "-", "_")) + ending
}
