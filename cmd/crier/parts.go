package main

import (
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"crier/compose"
	"crier/schema"
)

// partsFlags say where the parts are; a command that works beside a running serve takes
// the same.
type partsFlags struct {
	Data     string `default:"data" type:"path" help:"The data folder: embedded parts, keyset, uploads. One process holds it at a time."`
	Postgres string `help:"URL of PostgreSQL; embedded when empty."`
	Keyset   string `type:"path" help:"File of the keys that seal credentials; in the data folder when empty."`
}

func (f partsFlags) config(logger *slog.Logger) (compose.Config, error) {
	bases, err := platformBases(os.LookupEnv)
	return compose.Config{
		Data: f.Data, Postgres: f.Postgres, Keyset: f.Keyset, Bases: bases,
		Version: buildVersion(), Logger: logger, Registerer: newRegistry(),
	}, err
}

func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// platformBases reads the base address of each platform's API, such as
// CRIER_MASTODON_URL or CRIER_GOOGLE_BUSINESS_URL.
func platformBases(lookup func(string) (string, bool)) (map[schema.Platform]string, error) {
	bases := map[schema.Platform]string{}
	for _, p := range schema.Platforms() {
		name := "CRIER_" + strings.ToUpper(strings.ReplaceAll(p.String(), "-", "_")) + "_URL"
		base, ok := lookup(name)
		if !ok || base == "" {
			continue
		}
		if !strings.HasPrefix(base, "http://") && !strings.HasPrefix(base, "https://") {
			return nil, fmt.Errorf("%s is %q: an http or https url is wanted", name, base)
		}
		bases[p] = strings.TrimSuffix(base, "/")
	}
	return bases, nil
}
