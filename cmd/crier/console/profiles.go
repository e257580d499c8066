package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Profile is a server and a key of it.
type Profile struct {
	URL string `json:"url"`
	Key string `json:"key"`
}

// profiles are what crier login keeps.
type profiles struct {
	Current string             `json:"current"` // that is used where none is named
	Named   map[string]Profile `json:"profiles"`
}

// profilesFile is where they are kept, readable by its owner alone.
func profilesFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("finding the folder of profiles: %w", err)
	}
	return filepath.Join(dir, "crier", "profiles.json"), nil
}

// readProfiles returns none where there is no file yet.
func readProfiles() (profiles, error) {
	p := profiles{Named: map[string]Profile{}}
	name, err := profilesFile()
	if err != nil {
		return p, err
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("reading profiles: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return p, fmt.Errorf("other users of this machine can read the keys in %s: chmod 600 it, and replace the keys", name)
	}
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return p, fmt.Errorf("reading profiles in %s: %w", name, err)
	}
	if p.Named == nil {
		p.Named = map[string]Profile{}
	}
	return p, nil
}

// write replaces the file whole, so that nobody ever reads half of it.
func (p profiles) write() error {
	name, err := profilesFile()
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(p, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o700)
	}
	if err != nil {
		return fmt.Errorf("writing profiles: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(name), "profiles") // with mode 0600
	if err != nil {
		return fmt.Errorf("writing profiles: %w", err)
	}
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("writing profiles: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}

// named returns a profile; an empty name is the current one's.
func (p profiles) named(name string) (Profile, error) {
	if name == "" {
		name = p.Current
	}
	profile, known := p.Named[name]
	switch {
	case known:
		return profile, nil
	case name == "":
		return profile, errors.New("there is no key: crier login keeps one, --key and CRIER_KEY name one")
	case len(p.Named) == 0:
		return profile, fmt.Errorf("there is no profile %q: crier login %s makes it", name, name)
	default:
		return profile, fmt.Errorf("there is no profile %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(p.Named)), ", "))
	}
}

// of returns the profile of a server.
func (p profiles) of(address string) (Profile, error) {
	for _, name := range append([]string{p.Current}, slices.Sorted(maps.Keys(p.Named))...) {
		if p.Named[name].URL == address {
			return p.Named[name], nil
		}
	}
	return Profile{}, fmt.Errorf("there is no key of %s: crier login --url %s keeps one, --key and CRIER_KEY name one", address, address)
}
