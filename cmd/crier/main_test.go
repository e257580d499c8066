package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crier/cmd/crier/settings"
	"crier/compose/embedded"
)

// TestMain is crier's own main where this binary is called so, and what that starts.
func TestMain(m *testing.M) {
	embedded.Main()
	if filepath.Base(os.Args[0]) == "crier" {
		main()
	}
	os.Exit(m.Run())
}

func TestBashAsksCrierHowALineGoesOn(t *testing.T) {
	crier := filepath.Join(t.TempDir(), "it's here", "crier")
	if err := errors.Join(os.Mkdir(filepath.Dir(crier), 0o700), os.Link(os.Args[0], crier)); err != nil {
		t.Fatal(err)
	}
	// What the shell was told to run is run as it would at a press of the key.
	asking := exec.CommandContext(t.Context(), "bash", "-c", `
		eval "$("$0" completion -c bash)"
		[[ $(complete -p crier) =~ -C\ (.*)\ crier$ ]] && eval "asked=${BASH_REMATCH[1]}"
		export COMP_LINE="crier posts c"
		eval "$asked"`, crier)
	output, err := asking.CombinedOutput()
	offered := strings.Fields(string(output)) // in any order: bash sorts them
	slices.Sort(offered)
	if err != nil || !slices.Equal(offered, []string{"cancel", "create"}) {
		t.Errorf("bash is told %q, %v", output, err)
	}
}

func TestHelpAndVersionAreCommandsToo(t *testing.T) {
	crier := filepath.Join(t.TempDir(), "crier")
	if err := os.Link(os.Args[0], crier); err != nil {
		t.Fatal(err)
	}
	for line, flag := range map[string]string{
		"help": "--help", "help posts": "posts --help", "help posts create": "posts create --help", "version": "--version",
	} {
		want, err := exec.CommandContext(t.Context(), crier, strings.Fields(flag)...).Output()
		got, failed := exec.CommandContext(t.Context(), crier, strings.Fields(line)...).Output()
		if err != nil || failed != nil || len(got) == 0 || string(got) != string(want) {
			t.Errorf("crier %s: %q, %v; want what crier %s says: %q, %v", line, got, failed, flag, want, err)
		}
	}
}

func TestTheCommandLine(t *testing.T) {
	for name, tt := range map[string]struct {
		line string
		want string // part of the error; empty: none
	}{
		"a command":                       {"serve", ""},
		"a command that is misspelt":      {"servve", `did you mean "serve"? see crier --help`},
		"a flag that is unknown":          {"serve --nope", "unknown flag --nope; see crier serve --help"},
		"a flag that is missing":          {"keys create", "missing flags: --workspace=STRING; see crier keys create --help"},
		"flags that contradict":           {"pause --workspace a --platform b", "can't be used together"},
		"none of several flags":           {"held release", "name posts, or --all"},
		"a file that is not there":        {"import none.csv --key k", "there is no file none.csv"},
		"a role that is unknown":          {"serve --roles gateway,dealy", `"dealy" is no role`},
		"a role twice":                    {"serve --roles gateway,gateway", "twice"},
		"nothing to migrate":              {"migrate", "name what to migrate"},
		"one part to migrate":             {"migrate --postgres postgres://h/d", ""},
		"a database of another kind":      {"serve --postgres mysql://u:hunter2@h/d", "--postgres cannot be read: one like postgres://"},
		"a port that is none":             {"serve --postgres postgres://u:hunter2@h:99999/d", "(invalid port)"},
		"a database by keywords":          {"config check --postgres host=h", ""},
		"a warehouse at no address":       {"serve --clickhouse h:8123", "--clickhouse cannot be read: one like http://"},
		"a broker at no port":             {"serve --kafka a:9092,b:kafka", `--kafka has "b:kafka": host:port is wanted`},
		"a broker's URL":                  {"serve --kafka http://h:9092", "host:port is wanted"},
		"a broker's URL with a user":      {"serve --kafka kafka://u:hunter2@h:9092", `--kafka has "…@h:9092": host:port is wanted`},
		"brokers":                         {"serve --kafka a,[::1]:9092", ""},
		"topics of too many partitions":   {"migrate --kafka h:9092 --partitions 257", "1 to 256 are wanted"},
		"an address that is none":         {"serve --public-url example.com", "--public-url is \"example.com\""},
		"posts that are all too late":     {"serve --max-lateness=-1h", "--max-lateness is at least 1m"},
		"posts kept for no time":          {"serve --keep-posts=30d", "--keep-posts is from 31d to"},
		"media larger than any platform":  {"serve --max-media 6000", "--max-media is 0 to 5120 MiB"},
		"days that are hours":             {"serve --keep-attempts=12h", "a number of days such as 30d is wanted"},
		"deliveries kept for no time":     {"serve --keep-deliveries=0d", "--keep-deliveries is from 1d to"},
		"no dead letters to list":         {"dead-letters list --limit 0", "--limit is at least 1"},
		"a dead letter that can be none":  {"dead-letters list --after post_1", "starts with dead_"},
		"a dead letter that is misspelt":  {"dead-letters replay --id post_1", "starts with dead_"},
		"nothing to delete":               {"delete", "missing flags"},
		"a post under review that is not": {"held cancel --post dead_1", "starts with post_"},
		"held posts and a selection":      {"held release --post post_01k9sr3q5wf2g8m7r4t0v1x2y3 --workspace acme", "--post names posts"},
		"held posts of no platform":       {"held list --platforms myspace", "myspace"},
		"held posts that are selected":    {"held release --workspace acme --platforms mastodon,twitter --due before --from 2026-05-04T03:02:01Z", ""},
		"held posts from a day on":        {"held release --from 2026-11-28 --to 2026-11-28T18:00", ""},
		"held posts up to no time":        {"held list --to soon", "--to: \"soon\" is no time"},
		"held posts due at no time":       {"held cancel --due soon", "--due must be one of"},
		"keys of nobody to confirm":       {"keys confirm", "missing flags"},
		"a restore to no time":            {"serve --restored-to yesterday", "--restored-to"},
		"a restore to a time":             {"serve --restored-to 2026-05-04T03:02:01Z", ""},
		"a post at no time":               {"posts create Hello --to mastodon", "say when"},
		"a post at two times":             {"posts create Hello --to mastodon --now --draft", "can't be used together"},
		"a post in no zone":               {"posts create Hello --to mastodon --now --timezone Berlin", "unknown time zone"},
		"a wait without an end":           {"posts create Hello --to mastodon --draft --wait", "for ever"},
		"a reader of no workspace":        {"dashboards grant", "missing flags: --workspace"},
		"a password that others can read": {"dashboards grant --workspace acme --dashboards-password hunter2", "CRIER_DASHBOARDS_PASSWORD"},
		"no workspaces to list":           {"workspaces list --limit 0", "--limit is at least 1"},
		"no users to list":                {"users list --limit 0", "--limit is at least 1"},
		"a workspace on no plan":          {"workspaces plan acme", "missing flags: --plan"},
	} {
		t.Run(name, func(t *testing.T) {
			var c commands
			_, err := parse(&c, settings.New("CRIER", "serve", os.LookupEnv), strings.Fields(tt.line))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("parse = %v, want %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("parse = %v, which shows a secret", err)
			}
		})
	}
}

// What kong makes of a name by itself is not always what the README promises.
func TestVariablesOfTheEnvironment(t *testing.T) {
	t.Setenv("CRIER_MEDIA_S3", "s3://key:secret@s3.test/bucket")
	t.Setenv("CRIER_VERSION", "1.2.3") // set by an image, not by the user
	t.Setenv("CRIER_ADMIN_LISTEN", "127.0.0.1:9")
	var c commands
	if _, err := parse(&c, settings.New("CRIER", "serve", os.LookupEnv), []string{"serve"}); err != nil {
		t.Fatal(err)
	}
	if c.Serve.MediaS3 != "s3://key:secret@s3.test/bucket" || c.Serve.AdminListen != "127.0.0.1:9" || c.Version {
		t.Errorf("serve = %+v, version = %v", c.Serve, c.Version)
	}
}

func TestExitCodes(t *testing.T) {
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte("platforms,content\nmastodon,Hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		ctx  context.Context
		line []string
		want int
	}{
		"done":            {t.Context(), []string{"bench"}, 0},
		"not done":        {t.Context(), []string{"bench", "nothing"}, 1},
		"a keyset":        {t.Context(), []string{"keyset", "create", file + ".keyset"}, 0},
		"a keyset's file": {t.Context(), []string{"keyset", "create", file}, 1},
		"interrupted":     {interrupted, []string{"import", file, "--key", "k"}, 1},
		"not understood":  {t.Context(), []string{"serve", "--nope"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := run(tt.ctx, tt.line); got != tt.want {
				t.Errorf("exit code %d, want %d", got, tt.want)
			}
		})
	}
}
