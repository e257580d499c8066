package media

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"

	"crier/schema/secure"
	"crier/schema/secure/securetest"
	"crier/schema/sleep/sleeptest"
)

// A bucket without a key in its address is used as what the environment, a file or a role says.
func TestCredentialsOfABucket(t *testing.T) {
	config := service(t)
	config.Key, config.Secret = "", ""
	file := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(file, []byte("[default]\naws_access_key_id = "+accessKey+"\naws_secret_access_key = "+secretKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	requests := 0
	role := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		fmt.Fprintf(w, `{"AccessKeyId": %q, "SecretAccessKey": %q, "Token": "t", "Expiration": %q}`, accessKey, secretKey, time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	}))
	t.Cleanup(role.Close)
	nobody := httptest.NewServer(nil)
	nobody.Close()
	none := map[string]string{
		"AWS_ACCESS_KEY_ID": "", "AWS_ACCESS_KEY": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SECRET_KEY": "", "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "",
		"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(t.TempDir(), "none"), "AWS_CONFIG_FILE": filepath.Join(t.TempDir(), "none"),
		"AWS_WEB_IDENTITY_TOKEN_FILE": "", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": nobody.URL,
	}
	for name, tt := range map[string]struct {
		environment map[string]string
		want        string // of the error; empty: none
	}{
		"of the environment": {map[string]string{"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey}, ""},
		"of a file":          {map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file}, ""},
		"of a role":          {map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": role.URL}, ""},
		"of nobody":          {nil, "--media-s3 has no key, and no credentials are found for it"},
		"that are wrong":     {map[string]string{"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": "hunter2"}, "refuses the credentials that --media-s3 has"},
	} {
		t.Run(name, func(t *testing.T) {
			for variable, value := range none {
				t.Setenv(variable, value)
			}
			for variable, value := range tt.environment {
				t.Setenv(variable, value)
			}
			c := config
			c.Metadata = &http.Client{Timeout: 3 * time.Second}
			checkS3(t, c, &http.Transport{}, tt.want)
		})
	}
	if requests != 1 {
		t.Errorf("the role was asked %d times, want once for all requests", requests)
	}
}

// checkS3 wants a check to end well, or within five seconds with an error that says what is
// wanted.
func checkS3(t *testing.T, c S3Config, transport http.RoundTripper, want string) {
	t.Helper()
	s, err := NewS3(c, transport)
	if err != nil {
		t.Fatal(err)
	}
	ran := sleeptest.Stopwatch(t)
	err = s.Check(t.Context())
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("Check = %v, want %q in it", err, want)
	}
	if err != nil && strings.Contains(err.Error(), "hunter2") {
		t.Errorf("Check = %v, which shows the secret", err)
	}
	if took := ran(); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestABucketOverTLS(t *testing.T) {
	folder := t.TempDir()
	if err := securetest.Folder(folder); err != nil {
		t.Fatal(err)
	}
	backend := s3mem.New()
	if err := backend.CreateBucket(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
	fake := gofakes3.New(backend, gofakes3.WithV4Auth(map[string]string{accessKey: secretKey})).Server()
	serve := func(cert, key string) string {
		config, err := securetest.Read(filepath.Join(folder, cert), filepath.Join(folder, key))
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewUnstartedServer(fake)
		server.TLS = config
		server.StartTLS()
		t.Cleanup(server.Close)
		return server.Listener.Addr().String()
	}
	good, expired := serve(securetest.Server, securetest.ServerKey), serve(securetest.Expired, securetest.ExpiredKey)
	plain := service(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // nobody takes what comes to it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	for name, tt := range map[string]struct{ host, secret, ca, want string }{
		"as it should be":        {good, secretKey, securetest.CA, ""},
		"a wrong key":            {good, "hunter2", securetest.CA, "refuses the credentials that --media-s3 has"},
		"an expired certificate": {expired, secretKey, securetest.CA, "--media-s3 names is expired"},
		"a wrong name":           {strings.Replace(good, "127.0.0.1", "localhost", 1), secretKey, securetest.CA, "for other names than the one in --media-s3"},
		"another authority":      {good, secretKey, securetest.OtherCA, "--media-s3-ca names the file of the right one"},
		"a silent port":          {silent.Addr().String(), secretKey, securetest.CA, "--media-s3 names does not answer"},
		"a plain port":           {plain.Host, secretKey, securetest.CA, "no TLS is spoken at the port that --media-s3 names"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, err := secure.Files{CA: filepath.Join(folder, tt.ca)}.TLS()
			if err != nil {
				t.Fatal(err)
			}
			c, err := ParseS3("s3://" + accessKey + ":" + tt.secret + "@" + tt.host + "/" + bucket)
			if err != nil {
				t.Fatal(err)
			}
			checkS3(t, c, &http.Transport{TLSClientConfig: config}, tt.want)
		})
	}
}
