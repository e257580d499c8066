package clickhouse_test

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crier/compose/embedded/embeddedtest"
	"crier/schema/clickhouse"
	"crier/schema/secure"
	"crier/schema/secure/securetest"
	"crier/schema/sleep/sleeptest"
)

func TestClickHouseOverTLS(t *testing.T) {
	folder := t.TempDir()
	if err := securetest.Folder(folder); err != nil {
		t.Fatal(err)
	}
	plain := embeddedtest.ClickHouse(t)
	secured := behindTLS(t, plain, filepath.Join(folder, securetest.Server), filepath.Join(folder, securetest.ServerKey))
	expired := behindTLS(t, plain, filepath.Join(folder, securetest.Expired), filepath.Join(folder, securetest.ExpiredKey))
	for name, tt := range map[string]struct{ url, ca, want string }{
		"as it should be":        {secured, securetest.CA, ""},
		"a wrong password":       {withPassword(secured, "hunter2"), securetest.CA, "--clickhouse-password"},
		"an expired certificate": {expired, securetest.CA, "--clickhouse names is expired"},
		"a wrong name":           {strings.Replace(secured, "127.0.0.1", "localhost", 1), securetest.CA, "for other names than the one in --clickhouse"},
		"another authority":      {secured, securetest.OtherCA, "--clickhouse-ca names the file of the right one"},
		"a plain port":           {strings.Replace(plain, "http://", "https://", 1), securetest.CA, "no TLS is spoken at the port that --clickhouse names"},
		"a port for TLS, plain":  {strings.Replace(secured, "https://", "http://", 1), securetest.CA, "https://"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, err := secure.Files{CA: filepath.Join(folder, tt.ca)}.TLS()
			if err != nil {
				t.Fatal(err)
			}
			ran := sleeptest.Stopwatch(t)
			err = clickhouse.Migrate(t.Context(), clickhouse.Config{URL: tt.url, TLS: config})
			switch {
			case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("Migrate = %v, want %q in it", err, tt.want)
			case err != nil && strings.Contains(err.Error(), "hunter2"):
				t.Errorf("Migrate = %v, which shows the password", err)
			}
			if took := ran(); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// behindTLS serves ClickHouse once more, over TLS.
func behindTLS(t *testing.T, address, cert, key string) string {
	t.Helper()
	config, err := securetest.Read(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	user := target.User
	server := httptest.NewUnstartedServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: target.Host})
	}})
	server.TLS = config
	server.StartTLS()
	t.Cleanup(server.Close)
	secured, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	secured.User, secured.Path = user, target.Path
	return secured.String()
}
