package oidc

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"crier/schema/people"
)

// Settings are what an operator says of an issuer.
type Settings struct {
	Name             string   `yaml:"name"`               // in addresses and answers
	Title            string   `yaml:"title"`              // for people; empty: Name
	Issuer           string   `yaml:"issuer"`             // URL, as it stands in tokens
	ClientID         string   `yaml:"client-id"`          // of crier at the issuer
	ClientSecretFile string   `yaml:"client-secret-file"` // path
	ClientSecretEnv  string   `yaml:"client-secret-env"`  // name of a variable
	Scopes           []string `yaml:"scopes"`             // empty: openid, profile, email
	GroupsClaim      string   `yaml:"groups-claim"`       // empty: groups
	Domains          []string `yaml:"domains"`            // of addresses that may sign in, verified ones alone; empty: any
	Private          bool     `yaml:"private"`            // it is on a private network, and may speak HTTP
	CA               string   `yaml:"ca"`                 // PEM file of the authorities of its certificate; empty: the system's
	Members          []Grant  `yaml:"members"`            // who becomes a member of what

	Secret string `yaml:"-"` // of ClientSecretFile or ClientSecretEnv; empty: crier is a public client
}

// Grant makes a group's people members of a workspace.
type Grant struct {
	Group     string `yaml:"group"` // empty: everybody whom the issuer lets in
	Workspace string `yaml:"workspace"`
	Role      string `yaml:"role"`
}

const defaultGroupsClaim = "groups"

var (
	nameOfIssuer  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)
	defaultScopes = []string{"openid", "profile", "email"}
)

// Read reads a file of settings, and the secrets that they name. The error says all that is wrong.
func Read(path string, lookup func(string) (string, bool)) ([]Settings, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []Settings
	if err := yaml.UnmarshalWithOptions(content, &all, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: %s", filepath.Base(path), yaml.FormatError(err, false, false))
	}
	var wrong []error
	for i := range all {
		s := &all[i]
		found := s.check()
		if slices.ContainsFunc(all[:i], func(other Settings) bool { return other.Name == s.Name || other.Issuer == s.Issuer }) {
			found = append(found, errors.New("name and issuer are another's too"))
		}
		if err := s.readSecret(lookup); err != nil {
			found = append(found, err)
		}
		s.complete()
		for _, err := range found {
			wrong = append(wrong, fmt.Errorf("%s, issuer %d (%s): %w", filepath.Base(path), i+1, s.Name, err))
		}
	}
	return all, errors.Join(wrong...)
}

// check returns all that is wrong with what the file says.
func (s *Settings) check() (wrong []error) {
	says := func(is bool, format string, args ...any) {
		if is {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	u, err := url.Parse(s.Issuer)
	isURL := err == nil && u.Host != "" && u.RawQuery == "" && u.Fragment == "" && u.User == nil
	says(!nameOfIssuer.MatchString(s.Name), "name: a word of a-z, 0-9 and - is wanted, 32 characters at most")
	says(!isURL || u.Scheme != "https" && u.Scheme != "http", "issuer is %q: an https URL is wanted, as the issuer's tokens have it", s.Issuer)
	says(isURL && u.Scheme == "http" && !s.Private, "issuer is %q: http is taken beside private: true alone", s.Issuer)
	says(s.ClientID == "", "client-id is needed")
	says(len(s.Scopes) > 0 && !slices.Contains(s.Scopes, "openid"), "scopes lack openid")
	for _, d := range s.Domains {
		says(d == "" || strings.ContainsAny(d, "@ /"), "domains has %q: one such as example.com is wanted", d)
	}
	for _, g := range s.Members {
		_, err := people.ParseRole(g.Role)
		says(err != nil, "members has the role %q: viewer, author, editor, admin or owner is wanted", g.Role)
		says(g.Workspace == "", "members has no workspace for the group %q", g.Group)
		says(g.Group == "" && len(s.Domains) == 0, "members has no group for the workspace %q: without one, domains have to say who is let in", g.Workspace)
	}
	return wrong
}

func (s *Settings) readSecret(lookup func(string) (string, bool)) error {
	switch {
	case s.ClientSecretFile != "" && s.ClientSecretEnv != "":
		return errors.New("one of client-secret-file and client-secret-env is wanted")
	case s.ClientSecretFile != "":
		content, err := os.ReadFile(s.ClientSecretFile)
		if err != nil {
			return fmt.Errorf("client-secret-file: %w", err)
		}
		s.Secret = strings.TrimSpace(string(content))
	case s.ClientSecretEnv != "":
		s.Secret, _ = lookup(s.ClientSecretEnv)
	default:
		return nil
	}
	if s.Secret == "" {
		return errors.New("the client's secret is empty")
	}
	return nil
}

// complete puts defaults where nothing is said.
func (s *Settings) complete() {
	if s.Title == "" {
		s.Title = s.Name
	}
	if len(s.Scopes) == 0 {
		s.Scopes = defaultScopes
	}
	if s.GroupsClaim == "" {
		s.GroupsClaim = defaultGroupsClaim
	}
	for i, d := range s.Domains {
		s.Domains[i] = strings.ToLower(d)
	}
}

// roles are what somebody's groups give them.
func (s *Settings) roles(groups []string) (given []people.GivenRole) {
	for _, g := range s.Members {
		if g.Group != "" && !slices.Contains(groups, g.Group) {
			continue
		}
		if role, err := people.ParseRole(g.Role); err == nil { // as check has seen to
			given = append(given, people.GivenRole{Workspace: g.Workspace, Role: role})
		}
	}
	return given
}

// namesGroups reports whether anything follows from groups.
func (s *Settings) namesGroups() bool {
	return slices.ContainsFunc(s.Members, func(g Grant) bool { return g.Group != "" })
}
