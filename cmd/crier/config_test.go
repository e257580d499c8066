package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"crier/cmd/crier/settings"
)

// read parses a command line beside an environment and a configuration file, which may be
// empty.
func read(t *testing.T, c *commands, line string, environment map[string]string, file string) (*settings.Settings, *kong.Context, error) {
	t.Helper()
	if file != "" {
		path := filepath.Join(t.TempDir(), "crier.yaml")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		line += " --config " + path
	}
	from := settings.New("CRIER", "serve", func(name string) (string, bool) {
		value, ok := environment[name]
		return value, ok
	})
	k, err := parse(c, from, strings.Fields(line))
	return from, k, err
}

func TestPrecedence(t *testing.T) {
	file := "drain: 41s\nmax-lateness: 1h\nlog-level: debug\nkafka: [a:1, b:2]\nstripe-key: s\nstripe-webhook-secret: w\nstripe-prices:\n  personal: price_1\n"
	var c commands
	_, _, err := read(t, &c, "serve --drain 43s", map[string]string{"CRIER_DRAIN": "42s", "CRIER_MAX_LATENESS": "2h", "CRIER_LISTEN": ""}, file)
	if err != nil {
		t.Fatal(err)
	}
	s := c.Serve
	got := fmt.Sprintln(s.Drain, s.MaxLateness, s.brokers(), s.StripePrices, c.LogLevel, s.Listen)
	if want := fmt.Sprintln("43s", "2h0m0s", []string{"a:1", "b:2"}, map[string]string{"personal": "price_1"}, slog.LevelDebug, "127.0.0.1:8080"); got != want {
		t.Errorf("settings are %s, want %s", got, want)
	}
}

func TestEverythingThatIsWrongIsSaidAtOnce(t *testing.T) {
	file := `
kafak-tls: true
kafka: [a:9093]
kafka-sasl: scram-sha-1
kafka-user: crier
stripe-webhook-secret-file: /nowhere/secret
drain: soon
stripe-prices: {personal: price_1}
all: true
platforms:
  twitter: {client-secret: tttt}
  linkedin: {version: "2026", nothing: x}
  nobody: {url: https://nobody.example}
`
	for _, command := range []string{"serve", "config check"} {
		var c commands
		_, _, err := read(t, &c, command, map[string]string{"CRIER_KEEP_POSTS": "12", "CRIER_POSTGRES": "postgres://c:hunter2@h/d", "CRIER_POSTGRES_PASSWORD": "hunter2"}, file)
		if err == nil {
			t.Fatal("nothing is wrong")
		}
		for _, want := range []string{
			`crier.yaml:2: there is no setting "kafak-tls"; did you mean kafka-tls?`,
			`crier.yaml:4: --kafka-sasl is "scram-sha-1"`,
			"crier.yaml:6: there is no file /nowhere/secret",
			"crier.yaml:7: --drain",
			`crier.yaml:9: there is no setting "all"`,
			"crier.yaml:11: CRIER_TWITTER_CLIENT_SECRET is set without",
			"crier.yaml:12: CRIER_LINKEDIN_VERSION",
			`crier.yaml:12: there is no setting "platforms.linkedin.nothing"`,
			`crier.yaml:13: there is no setting "platforms.nobody.url"`,
			"CRIER_KEEP_POSTS: --keep-posts",
			"CRIER_POSTGRES: --postgres holds a password",
			"--stripe-key",
			"12 things are wrong",
		} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is not said in:\n%v", command, want, err)
			}
		}
		if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "tttt") {
			t.Errorf("%s: a secret is shown:\n%v", command, err)
		}
	}
}

func TestAFileThatIsNone(t *testing.T) {
	for name, tt := range map[string]struct{ file, want string }{
		"no YAML":           {"drain: [40s\nkafka-password: hunter2", "crier.yaml:"},
		"a port alone":      {"listen: 8080", `crier.yaml:1: --listen is "8080": host:port`},
		"no duration":       {"drain: soon", `crier.yaml:1: --drain: "soon" is no duration`},
		"no level":          {"log-level: loud", "debug, info, warn or error"},
		"no names":          {"- drain", "names with values are wanted"},
		"two documents":     {"drain: 40s\n---\ndrain: 41s", "one document is wanted"},
		"a name twice":      {"drain: 40s\ndrain: 41s", "crier.yaml:2"},
		"a list of maps":    {"kafka: [{a: b}, {c: {d: e}}]", "kafka cannot be read"},
		"platforms in text": {"platforms: twitter", "platforms cannot be read"},
		"nothing":           {"# all is as it was\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var c commands
			_, _, err := read(t, &c, "serve", nil, tt.file)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("parse = %v, want %q in it", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("parse = %v, which shows a secret", err)
			}
		})
	}
	var c commands
	if _, _, err := read(t, &c, "serve --config none.yaml", nil, ""); err == nil || !strings.Contains(err.Error(), "--config") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestSecretsStandInFiles(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sasl := "serve --kafka h:9092 --kafka-sasl plain --kafka-user u"
	for name, tt := range map[string]struct {
		environment map[string]string
		file, want  string
	}{
		"of a variable":            {map[string]string{"CRIER_KAFKA_PASSWORD_FILE": secret}, "", ""},
		"of the configuration":     {nil, "kafka-password-file: " + secret, ""},
		"a variable counts more":   {map[string]string{"CRIER_KAFKA_PASSWORD": "s3cret"}, "kafka-password-file: /nowhere", ""},
		"both":                     {map[string]string{"CRIER_KAFKA_PASSWORD_FILE": secret, "CRIER_KAFKA_PASSWORD": "x"}, "", "only one of"},
		"a file that is not there": {map[string]string{"CRIER_KAFKA_PASSWORD_FILE": "/nowhere"}, "", "CRIER_KAFKA_PASSWORD_FILE: there is no file /nowhere"},
		"a file that is empty":     {map[string]string{"CRIER_KAFKA_PASSWORD_FILE": os.DevNull}, "", "is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			var c commands
			_, _, err := read(t, &c, sasl, tt.environment, tt.file)
			if tt.want == "" && (err != nil || c.Serve.KafkaPassword != "s3cret") {
				t.Errorf("the password is %q, %v", c.Serve.KafkaPassword, err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("parse = %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestSecretsOnTheCommandLine(t *testing.T) {
	var c commands
	_, _, err := read(t, &c, "serve --kafka-password hunter2", nil, "")
	if err == nil || !strings.Contains(err.Error(), "CRIER_KAFKA_PASSWORD_FILE") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a password on the command line: %v", err)
	}
	from, k, err := read(t, &c, "serve --postgres postgres://u:hunter2@h/d --media-s3 s3://k:hunter2@h/b --clickhouse https://u@h/d", map[string]string{"CRIER_STRIPE_KEY": ""}, "")
	if err != nil {
		t.Fatal(err)
	}
	exposed := from.Exposed(k)
	if len(exposed) != 2 || !strings.Contains(exposed["--postgres"], "CRIER_POSTGRES_FILE") || exposed["--media-s3"] == "" {
		t.Errorf("exposed are %v", exposed)
	}
}

func TestKeysInTheURLOfTheBucketAreToldOf(t *testing.T) {
	const address = "s3://k:hunter2@h/b"
	for name, tt := range map[string]struct {
		line        string
		environment map[string]string
		file        string
		want        bool
	}{
		"on the command line": {"serve --media-s3 " + address, nil, "", true},
		"in the environment":  {"serve", map[string]string{"CRIER_MEDIA_S3": address}, "", true},
		"in the file":         {"serve", nil, "media-s3: " + address, true},
		"nowhere":             {"serve --media-s3 s3://h/b", nil, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			var c commands
			if _, _, err := read(t, &c, tt.line, tt.environment, tt.file); err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			c.Serve.warn(slog.New(slog.NewTextHandler(&log, nil)))
			if text := log.String(); strings.Contains(text, "--media-s3") != tt.want || strings.Contains(text, "hunter2") {
				t.Errorf("it says %q", text)
			}
		})
	}
}

// A variable that is set for one command must not make another do more than it is told.
func TestActionsReadNoEnvironment(t *testing.T) {
	environment := map[string]string{"CRIER_ALL": "true", "CRIER_DRY_RUN": "true", "CRIER_WORKSPACE": "acme", "CRIER_TEST": "true", "CRIER_VERSION": "true", "CRIER_POST": "post_1"}
	for _, line := range []string{"held release", "dead-letters replay", "pause", "delete"} {
		var c commands
		if _, _, err := read(t, &c, line, environment, ""); err == nil {
			t.Errorf("%s does something by variables alone", line)
		}
	}
	var c commands
	if _, _, err := read(t, &c, "keys create", environment, ""); err != nil || c.Keys.Create.Workspace != "acme" || c.Keys.Create.Test {
		t.Errorf("keys create = %+v, %v", c.Keys.Create, err)
	}
}

func TestWhatIsShown(t *testing.T) {
	file := `
postgres: postgres://crier:hunter2@db/crier?sslpassword=hunter2
kafka: [a:9093]
kafka-tls: true
kafka-sasl: plain
kafka-user: crier
partitions: 16
stripe-key: hunter2
stripe-webhook-secret: hunter2
stripe-prices: {personal: price_1}
platforms:
  twitter: {client-id: x, client-secret: hunter2}
`
	var c commands
	from, k, err := read(t, &c, "config show --drain 40s", map[string]string{"CRIER_KAFKA_PASSWORD": "hunter2", "CRIER_TWITTER_CLIENT_ID": "y", "CRIER_TWITTER_SCOPES": ""}, file)
	if err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	if err := errors.Join(c.Config.Show.choose(), from.Show(k, &output)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"drain: 40s  # command line", "kafka-password: (redacted)  # CRIER_KAFKA_PASSWORD", "kafka-tls: true  # crier.yaml:4", "partitions: 16  # crier.yaml:7",
		"postgres: postgres://crier:***@db/crier", "max-lateness: 24h  # default", "postgres-connections: 22  # default", "max-media: 4096  # default",
		"media-disk: 0  # default: all but 2 GiB, or a tenth of a disk below 20 GiB", "    client-id: \"y\"  # CRIER_TWITTER_CLIENT_ID", "    client-secret: (redacted)  # crier.yaml:12",
	} {
		if !strings.Contains(output.String(), want) {
			t.Errorf("%q is not in:\n%s", want, &output)
		}
	}
	if strings.Contains(output.String(), "hunter2") {
		t.Errorf("secrets are shown:\n%s", &output)
	}
	// What is shown can be read again, except for what is left out of it.
	again := strings.ReplaceAll(output.String(), "(redacted)", "x")
	if _, _, err := read(t, &c, "config check", nil, again); err != nil {
		t.Errorf("what is shown is no configuration: %v", err)
	}
}

func TestAVariableThatNothingReadsIsNamed(t *testing.T) {
	var c commands
	from, _, err := read(t, &c, "config check", nil, "")
	if err != nil {
		t.Fatal(err)
	}
	for variable, want := range map[string]string{
		"CRIER_POSTGERS":                      "CRIER_POSTGERS is set, and crier reads no such variable; did you mean CRIER_POSTGRES?",
		"CRIER_TWITTER_CLIENT_SECRT":          "did you mean CRIER_TWITTER_CLIENT_SECRET?",
		"CRIER_TWITTER_VERSION":               "reads no such variable",
		"CRIER_NOTHING_LIKE_IT":               "CRIER_NOTHING_LIKE_IT is set, and crier reads no such variable",
		"CRIER_POSTGRES":                      "",
		"CRIER_KAFKA_PASSWORD_FILE":           "",
		"CRIER_YOUTUBE_DAILY_UPLOADS":         "",
		"CRIER_LINKEDIN_VERSION":              "",
		"CRIER_VERSION":                       "",
		"CRIER_SERVICE_HOST":                  "", // by Kubernetes, for a service called crier
		"CRIER_PORT_8080_TCP_ADDR":            "",
		"CRIER_ADMIN_SERVICE_PORT_ADMIN_HTTP": "",
		"PATH":                                "",
	} {
		unread := from.Unread([]string{variable + "=x", "CRIER_EMPTY="})
		if got := fmt.Sprint(errors.Join(unread...)); want == "" && len(unread) > 0 || want != "" && !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q in it", variable, got, want)
		}
	}
}

func TestAFileMayHaveEverySettingOfAPlatform(t *testing.T) {
	var c commands
	if _, _, err := read(t, &c, "serve", nil, "platforms:\n  youtube: {client-id: a, client-secret: b, daily-uploads: \"20\", daily-units: \"1000\"}"); err != nil {
		t.Error(err)
	}
	if _, _, err := read(t, &c, "serve", nil, "platforms:\n  twitter: {version: \"202601\"}"); err == nil || !strings.Contains(err.Error(), "there is no setting") {
		t.Errorf("a setting of another platform: %v", err)
	}
}

func TestMessagesAreInTheWordsOfPeople(t *testing.T) {
	for line, want := range map[string]string{
		"serve --drain soon":                   `--drain: "soon" is no duration: one such as 90s, 5m or 24h is wanted`,
		"serve --drain=30":                     `--drain: "30" is no duration`,
		"serve --log-level loud":               `"loud" is no level: debug, info, warn or error is wanted`,
		"serve --max-media much":               `--max-media: "much" is no whole number`,
		"serve --listen 9000":                  "such as 127.0.0.1:9000",
		"serve --listen localhost":             "such as localhost:8080",
		"serve --listen http://localhost:9000": "such as localhost:9000",
		"serve --listen 127.0.0.1:99999":       "host:port is wanted",
		"serve --config none.yaml":             "there is no file none.yaml",
		"media upload none.png --key k":        "there is no file none.png",
		"restore /nowhere/backup":              "there is no file /nowhere/backup",
		"accounts add --workspace a --platform mastodon --credentials none.json": "--credentials: there is no file none.json",
	} {
		var c commands
		if _, _, err := read(t, &c, line, nil, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", line, err, want)
		}
	}
	var c commands
	if _, _, err := read(t, &c, "serve --listen :8080 --admin-listen [::]:8081", nil, ""); err != nil {
		t.Error(err)
	}
}
