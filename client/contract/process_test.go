//go:build clients

package contract_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"crier/client"
	"crier/client/clienttest"
	"crier/client/contract"
	"crier/gateway/reference"
)

// projects is where make test-clients has put an empty project of each language with the built
// package: go, typescript and python, each with a command driver, which is the contract's, and a
// command run, which runs the program whose files it is given.
func projects(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("CRIER_CLIENT_PROJECTS")
	if folder == "" {
		t.Fatal("CRIER_CLIENT_PROJECTS is not set: make test-clients sets it")
	}
	return folder
}

// TestClientsInOtherLanguages has each keep the contract.
func TestClientsInOtherLanguages(t *testing.T) {
	server := clienttest.Serve(t)
	for name, command := range map[string][]string{
		"typescript": {"typescript/driver"}, "python": {"python/driver"}, "python async": {"python/driver", "async"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			driver := start(t, append([]string{filepath.Join(projects(t), command[0])}, command[1:]...))
			keepsAll(t, enter(t, server, name), driver)
		})
	}
}

// TestProgramsOfTheDocuments runs every program that reads CRIER_KEY, as somebody would who has
// nothing but the built packages. Each makes one post and prints its id.
func TestProgramsOfTheDocuments(t *testing.T) {
	server := clienttest.Serve(t)
	program := regexp.MustCompile("(?s)\n```(go|ts|python)\n(.*?)```")
	ran := map[string]int{}
	for _, document := range []string{"README.md", "docs/client.md", "clients/typescript/README.md", "clients/python/README.md"} {
		text, err := os.ReadFile(filepath.Join("../..", document))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range program.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(found[2], "CRIER_KEY") {
				continue
			}
			ran[document+" "+found[1]]++
			t.Run(document+" "+found[1], func(t *testing.T) {
				runProgram(t, server, found[1], map[string]string{"program." + found[1]: found[2]})
			})
		}
	}
	if len(ran) != 8 { // three languages in two documents, and each package's own
		t.Errorf("programs: %v", ran)
	}
}

// runProgram runs the files of a program in a folder of its own in the project of their language.
func runProgram(t *testing.T, server *clienttest.Server, language string, files map[string]string) {
	project := filepath.Join(projects(t), map[string]string{"go": "go", "ts": "typescript", "python": "python"}[language])
	folder, err := os.MkdirTemp(project, "program")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "harbour.png"), picture(t), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), filepath.Join(project, "run"), slices.Sorted(maps.Keys(files))...)
	run.Dir = folder
	run.Env = append(os.Environ(), "CRIER_KEY="+server.Key, "CRIER_URL="+server.URL)
	printed, err := run.CombinedOutput()
	if err != nil || !regexp.MustCompile(`post_[0-9a-z]{26}`).Match(printed) {
		t.Errorf("%v: %s", err, printed)
	}
}

// picture is a small one.
func picture(t *testing.T) []byte {
	t.Helper()
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	return encoded.Bytes()
}

// TestSamplesOfTheReference runs the samples of the reference in each language, with a test key: one program
// each of Go, TypeScript and Python, and each call of curl by itself.
func TestSamplesOfTheReference(t *testing.T) {
	server := clienttest.Serve(t, clienttest.WithClickHouse)
	key, err := client.New(server.Key, client.WithServer(server.URL)).Keys.Create(t.Context(), client.NewKey{Name: "samples", Permission: client.Admin, Test: true})
	if err != nil {
		t.Fatal(err)
	}
	ofTest := &clienttest.Server{TB: t, URL: server.URL, Key: key.Secret}
	for language, pattern := range map[string]string{"go": "*.go", "ts": "*.ts", "python": "*.py"} {
		t.Run(language, func(t *testing.T) {
			connectSandbox(t, ofTest)
			runProgram(t, ofTest, language, filesOf(t, "../../gateway/reference/samples/"+pattern))
		})
	}
	t.Run("sh", func(t *testing.T) {
		connectSandbox(t, ofTest)
		runCalls(t, ofTest)
	})
}

// filesOf are the texts of files, by their names.
func filesOf(t *testing.T, pattern string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(text)
	}
	return files
}

// connectSandbox connects an account of the sandbox on mastodon, which the samples of each language disconnect,
// and one on bluesky.
func connectSandbox(t *testing.T, server *clienttest.Server) {
	t.Helper()
	sandbox := client.New(server.Key, client.WithServer(server.URL))
	for platform, credentials := range map[client.Platform]client.Credentials{
		client.Mastodon: {AccessToken: "token-of-samples"}, client.Bluesky: {Identifier: "ann.sandbox.test", Password: "abcd-efgh-ijkl-mnop"},
	} {
		if _, err := sandbox.Accounts.Connect(t.Context(), platform, credentials); err != nil {
			t.Fatal(err)
		}
	}
}

// runCalls calls curl as each sample does, with the ids that were answered before in variables.
func runCalls(t *testing.T, server *clienttest.Server) {
	samples, err := reference.Samples("sh")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "harbour.png"), picture(t), 0o600); err != nil {
		t.Fatal(err)
	}
	variables := append(os.Environ(), "CRIER_KEY="+server.Key, "CRIER_URL="+server.URL)
	for _, sample := range samples {
		run := exec.CommandContext(t.Context(), "bash", "-euc", sample.Text())
		run.Dir, run.Env = folder, variables
		printed, err := run.CombinedOutput()
		wanted := `"success":true`
		switch {
		case sample.End == "refused":
			wanted = `"success":false`
		case sample.Operations[0] == "getDescription":
			wanted = `"openapi"`
		}
		if err != nil || !strings.Contains(string(printed), wanted) {
			t.Errorf("%v: %v: %s", sample.Operations, err, printed)
		}
		variables = append(variables, idsIn(string(printed))...)
	}
}

// idsIn are the first id of each kind in an answer, and an address to upload to, as variables.
func idsIn(response string) (variables []string) {
	for prefix, name := range map[string]string{
		"post": "POST", "thread": "THREAD", "acc": "ACCOUNT", "brand": "BRAND", "queue": "QUEUE", "media": "MEDIA", "wh": "WEBHOOK", "key": "KEY", "mon": "MONITOR",
	} {
		if id := regexp.MustCompile(`"(?:id|mediaId)":"(` + prefix + `_[0-9a-z]{26})"`).FindStringSubmatch(response); id != nil {
			variables = append(variables, name+"_ID="+id[1])
		}
	}
	if address := regexp.MustCompile(`"uploadUrl":"([^"]+)"`).FindStringSubmatch(response); address != nil {
		variables = append(variables, "UPLOAD_URL="+address[1])
	}
	return variables
}

// process is a driver in a process of its own.
type process struct {
	mu    sync.Mutex
	tasks io.Writer
	told  *bufio.Scanner
}

func start(t *testing.T, command []string) *process {
	t.Helper()
	run := exec.Command(command[0], command[1:]...)
	run.Stderr = os.Stderr
	tasks, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	told, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tasks.Close()
		if err := run.Wait(); err != nil {
			t.Errorf("the driver: %v", err)
		}
	})
	lines := bufio.NewScanner(told)
	lines.Buffer(nil, 1<<20)
	return &process{tasks: tasks, told: lines}
}

func (p *process) do(_ context.Context, task contract.Task) (outcome contract.Outcome, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	line, err := task.Line()
	if err != nil {
		return outcome, err
	}
	if _, err := p.tasks.Write(line); err != nil {
		return outcome, err
	}
	if !p.told.Scan() {
		return outcome, errors.Join(errors.New("the driver has ended"), p.told.Err())
	}
	return outcome, json.Unmarshal(p.told.Bytes(), &outcome)
}
