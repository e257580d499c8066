package console

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"crier/client"
)

// Login keeps a server and a key.
type Login struct {
	Profile string `arg:"" optional:"" default:"default" env:"-" help:"Name of the profile."`
	URL     string `default:"http://127.0.0.1:8080" env:"-" help:"Address of the server."`
	Key     string `secret:"" xor:"key" help:"API key; it is asked for when empty."`
	Device  bool   `xor:"key" env:"-" help:"Get a key from somebody who is signed in elsewhere: it shows a code, which they type there."`
	Scope   string `enum:"read,write,admin" default:"write" env:"-" help:"With --device: what the key may do at most, read, write or admin."`
}

// Run asks the server whether it takes the key before that is kept.
func (l *Login) Run(ctx context.Context, t *Terminal) error {
	server := Profile{URL: strings.TrimSuffix(l.URL, "/"), Key: l.Key}
	var err error
	switch {
	case l.Device:
		server.Key, err = l.approved(ctx, t, server.URL)
	case l.Key == "":
		server.Key, err = t.ask("API key: ")
	}
	if err != nil {
		return err
	}
	usage, err := t.client(server).Usage.Get(ctx)
	if err != nil {
		return fmt.Errorf("logging in to %s: %w", server.URL, err)
	}
	profiles, err := readProfiles()
	if err != nil {
		return err
	}
	profiles.Current, profiles.Named[l.Profile] = l.Profile, server
	if err := profiles.write(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.Out, "%s is the profile %s now, on the plan %s.\n", server.URL, l.Profile, usage.Plan.Name)
	return err
}

// approved shows a code, and waits for the key of whoever approves it (RFC 8628).
func (l *Login) approved(ctx context.Context, t *Terminal, server string) (key string, err error) {
	config := oauth2.Config{ClientID: "crier", Scopes: []string{l.Scope}, Endpoint: oauth2.Endpoint{
		DeviceAuthURL: server + "/api/v1/device/code", TokenURL: server + "/api/v1/device/token", AuthStyle: oauth2.AuthStyleInParams,
	}}
	name := "crier"
	if host, err := os.Hostname(); err == nil {
		name += " on " + host
	}
	device, err := config.DeviceAuth(ctx, oauth2.SetAuthURLParam("device_name", name))
	if err != nil {
		return "", fmt.Errorf("asking %s for a key: %w", server, worded(err))
	}
	fmt.Fprintf(t.Err, "Open this page where you are signed in, and compare the code %s:\n\n  %s\n\n", device.UserCode, device.VerificationURIComplete)
	token, err := config.DeviceAccessToken(ctx, device)
	if err != nil {
		return "", fmt.Errorf("waiting for a key of %s: %w", server, worded(err))
	}
	return token.AccessToken, nil
}

// worded is an error of OAuth in the server's words.
func worded(err error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.ErrorDescription != "" {
		return errors.New(refused.ErrorDescription)
	}
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
	profiles, err := readProfiles()
	if err != nil {
		return err
	}
	if _, err := profiles.named(l.Profile); err != nil {
		return err
	}
	delete(profiles.Named, l.Profile)
	if profiles.Current == l.Profile {
		profiles.Current = ""
	}
	if err := profiles.write(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.Out, "The profile %s is forgotten. Its key works on: crier keys revoke ends it.\n", l.Profile)
	return err
}

// Profiles lists what crier login keeps.
type Profiles struct{ Shape }

// Run shows no keys.
func (p *Profiles) Run(t *Terminal) error {
	profiles, err := readProfiles()
	if err != nil {
		return err
	}
	type line struct {
		Name    string `json:"name"`
		URL     string `json:"url"`
		Current bool   `json:"current"`
	}
	var all []line
	for _, name := range slices.Sorted(maps.Keys(profiles.Named)) {
		all = append(all, line{name, profiles.Named[name].URL, name == profiles.Current})
	}
	return lines(t, p.Shape, all, row("PROFILE", "SERVER", ""), func(l line) string {
		mark := ""
		if l.Current {
			mark = "current"
		}
		return row(l.Name, cmp.Or(l.URL, client.DefaultServer), mark)
	})
}
