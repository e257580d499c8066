package console

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"crier/client"
	"crier/schema/wording"
)

// Access says which server is called, and with which key. A key is never sent to another
// server than it was given for.
type Access struct {
	Profile string `help:"Server and key that crier login keeps under this name; by default those of the last login."`
	URL     string `help:"Address of the server; by default that of the profile, or http://127.0.0.1:8080." placeholder:"URL"`
	Key     string `secret:"" help:"API key; by default that of the profile."`
}

// Server is the server that is meant, with its key.
func (a Access) Server() (Profile, error) {
	address := strings.TrimSuffix(a.URL, "/")
	if a.Profile != "" && (address != "" || a.Key != "") {
		return Profile{}, errors.New("--profile (CRIER_PROFILE) stands beside --url or --key (CRIER_URL, CRIER_KEY): name one of them")
	}
	if a.Key != "" {
		return Profile{URL: cmp.Or(address, client.DefaultServer), Key: a.Key}, nil
	}
	profiles, err := readProfiles()
	if err != nil {
		return Profile{}, err
	}
	if address != "" {
		return profiles.of(address)
	}
	return profiles.named(a.Profile)
}

// Connect returns a client that says on a terminal why it waits.
func (a Access) Connect(t *Terminal) (*client.Client, error) {
	server, err := a.Server()
	if err != nil {
		return nil, err
	}
	return t.client(server), nil
}

func (t *Terminal) client(server Profile) *client.Client {
	var last struct {
		sync.Mutex // parts of a file are sent side by side
		text       string
	}
	notify := func(failed error, wait time.Duration) {
		last.Lock()
		defer last.Unlock()
		if text := failed.Error(); text != last.text {
			last.text = text
			fmt.Fprintln(t.Err, text)
		}
		fmt.Fprintf(t.Err, "Trying again in %s.\n", wording.Duration(wait.Round(time.Second/10)))
	}
	retry := client.Retry{Tries: 5, Notify: notify} // a person waits less than a program
	return client.New(server.Key, client.WithServer(server.URL), client.WithUserAgent("crier-console"), client.WithRetry(retry))
}
