package console

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"crier/client"
)

// Login keeps a server and a key.
type Login struct {
	Profile string `arg:"" optional:"" default:"default" env:"-" help:"Name of the profile."`
	URL     string `default:"http://127.0.0.1:8080" env:"-" help:"Address of the server."`
	Key     string `secret:"" help:"API key; it is asked for when empty."`
}

// Run asks the server whether it takes the key before that is kept.
func (l *Login) Run(ctx context.Context, t *Terminal) error {
	key := l.Key
	if key == "" {
		var err error
		if key, err = t.ask("API key: "); err != nil {
			return err
		}
	}
	server := Profile{URL: strings.TrimSuffix(l.URL, "/"), Key: key}
	usage, err := t.client(server).Usage.Get(ctx)
	if err != nil {
		return fmt.Errorf("logging in to %s: %w", server.URL, err)
	}
	kept, err := readProfiles()
	if err != nil {
		return err
	}
	kept.Current, kept.Named[l.Profile] = l.Profile, server
	if err := kept.write(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.Out, "%s is the profile %s now, on the plan %s.\n", server.URL, l.Profile, usage.Plan.Name)
	return err
}

// ask reads a secret line.
func (t *Terminal) ask(prompt string) (string, error) {
	if t.Secret != nil {
		fmt.Fprint(t.Err, prompt)
		line, err := t.Secret()
		fmt.Fprintln(t.Err)
		if err == nil && line == "" {
			err = errors.New("there is no key")
		}
		return line, err
	}
	scanner := bufio.NewScanner(t.In)
	scanner.Scan()
	if line := strings.TrimSpace(scanner.Text()); line != "" {
		return line, nil
	}
	return "", cmp.Or(scanner.Err(), errors.New("there is no key: give it by --key, CRIER_KEY, or a line of standard input"))
}

// Logout forgets a profile.
type Logout struct {
	Profile string `arg:"" optional:"" default:"default" env:"-" help:"Name of the profile."`
}

// Run forgets the key; the server goes on accepting it.
func (l *Logout) Run(t *Terminal) error {
	kept, err := readProfiles()
	if err != nil {
		return err
	}
	if _, err := kept.named(l.Profile); err != nil {
		return err
	}
	delete(kept.Named, l.Profile)
	if kept.Current == l.Profile {
		kept.Current = ""
	}
	if err := kept.write(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.Out, "The profile %s is forgotten. Its key works on: crier keys revoke ends it.\n", l.Profile)
	return err
}

// Profiles lists what crier login keeps.
type Profiles struct{ Shape }

// Run shows no keys.
func (p *Profiles) Run(t *Terminal) error {
	kept, err := readProfiles()
	if err != nil {
		return err
	}
	type line struct {
		Name    string `json:"name"`
		URL     string `json:"url"`
		Current bool   `json:"current"`
	}
	var all []line
	for _, name := range slices.Sorted(maps.Keys(kept.Named)) {
		all = append(all, line{name, kept.Named[name].URL, name == kept.Current})
	}
	return lines(t, p.Shape, all, row("PROFILE", "SERVER", ""), func(l line) string {
		mark := ""
		if l.Current {
			mark = "current"
		}
		return row(l.Name, cmp.Or(l.URL, client.DefaultServer), mark)
	})
}
