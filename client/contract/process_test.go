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
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"crier/client/clienttest"
	"crier/client/contract"
)

// projects is where make test-clients has put an empty project of each language with the built
// package: go, typescript and python, each with a command driver, which is the contract's, and a
// command run, which runs the program on its standard input.
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
			t.Run(document+" "+found[1], func(t *testing.T) { runProgram(t, server, found[1], found[2]) })
		}
	}
	if len(ran) != 8 { // three languages in two documents, and each package's own
		t.Errorf("programs: %v", ran)
	}
}

func runProgram(t *testing.T, server *clienttest.Server, language, program string) {
	folder := filepath.Join(projects(t), map[string]string{"go": "go", "ts": "typescript", "python": "python"}[language])
	run := exec.CommandContext(t.Context(), filepath.Join(folder, "run"))
	run.Dir, run.Stdin = folder, strings.NewReader(program)
	if err := os.WriteFile(filepath.Join(folder, "harbour.png"), picture(t), 0o600); err != nil {
		t.Fatal(err)
	}
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

// How the samples of docs/client.md begin and end in each language.
var around = map[string][2]string{
	"go": {`package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"crier/client"
)

func main() {
	ctx, c := context.Background(), client.New(os.Getenv("CRIER_KEY"), client.WithServer(os.Getenv("CRIER_URL")))
`, "}\n"},
	"ts": {`import { openAsBlob } from "node:fs";
import { Crier, CrierError } from "@crier/client";
const crier = new Crier({ key: process.env.CRIER_KEY!, server: process.env.CRIER_URL! });
`, ""},
	"python": {`import os
from datetime import datetime, timedelta, timezone
from crier import Crier, CrierError, models
crier = Crier(os.environ["CRIER_KEY"], server=os.environ["CRIER_URL"])
`, ""},
}

// TestSamplesOfTheClients runs the samples of docs/client.md, those of a language one after another.
func TestSamplesOfTheClients(t *testing.T) {
	server := clienttest.Serve(t)
	text, err := os.ReadFile("../../docs/client.md")
	if err != nil {
		t.Fatal(err)
	}
	_, samples, _ := strings.Cut(string(text), "\n## Samples\n")
	samples, _, _ = strings.Cut(samples, "\n## ")
	programs, counted := map[string]string{}, map[string]int{}
	for _, found := range regexp.MustCompile("(?s)\n```([a-z]+)\n(.*?)```").FindAllStringSubmatch(samples, -1) {
		language, sample := found[1], found[2]
		if language == "go" || language == "ts" {
			sample = "{\n" + sample + "}\n"
		}
		programs[language] += sample
		counted[language]++
	}
	for language, around := range around {
		t.Run(language, func(t *testing.T) { runProgram(t, server, language, around[0]+programs[language]+around[1]) })
	}
	t.Run("sh", func(t *testing.T) {
		run := exec.CommandContext(t.Context(), "bash", "-euc", programs["sh"])
		run.Env = append(os.Environ(), "CRIER_KEY="+server.Key, "CRIER_URL="+server.URL)
		printed, err := run.CombinedOutput()
		if answers := strings.Count(string(printed), `"success":true`); err != nil || answers != counted["sh"]-1 || !strings.Contains(string(printed), "not_found") {
			t.Errorf("%v: %d answers of success: %s", err, answers, printed)
		}
	})
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
