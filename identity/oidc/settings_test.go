package oidc

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"crier/schema/people"
)

func inFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func none(string) (string, bool) { return "", false }

// TestReadTakesTheFileOfTheDocuments reads the example of docs/people.md, with secrets in files of the test.
func TestReadTakesTheFileOfTheDocuments(t *testing.T) {
	page, err := os.ReadFile("../../docs/people.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n- name: acme")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("there is no example")
	}
	all, err := Read(inFile(t, "issuers.yaml", "- name: acme"+secretFile.ReplaceAllString(example, inFile(t, "secret", "shh\n"))), none)
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	if all[0].Secret != "shh" || all[0].GroupsClaim != "groups" || all[1].Domains[0] != "acme.example" {
		t.Errorf("read %+v", all)
	}
}

var secretFile = regexp.MustCompile(`/run/secrets/\w+`)

func TestReadTakesWhatIsElsewhere(t *testing.T) {
	all, err := Read(inFile(t, "issuers.yaml", `
- name: partners
  issuer: http://sso.internal
  private: true
  client-id: crier
  client-secret-env: PARTNERS_SECRET
  domains: [Partner.example]
  members:
    - {group: "cn=writers,ou=groups", workspace: acme, role: editor}
    - {group: leads, workspace: acme, role: owner}
    - {workspace: acme, role: viewer}
`), func(name string) (string, bool) { return "of " + name, true })
	if err != nil {
		t.Fatal(err)
	}
	s := all[0]
	if s.Secret != "of PARTNERS_SECRET" || s.Title != "partners" || s.Domains[0] != "partner.example" {
		t.Errorf("read %+v", s)
	}
	for group, want := range map[string]people.Role{"cn=writers,ou=groups": people.Editor, "leads": people.Owner, "others": people.Viewer} {
		if got := (people.Testimony{Roles: s.roles([]string{group})}).RoleIn("acme"); got != want {
			t.Errorf("%s are %v, want %v", group, got, want)
		}
	}
}

func TestReadSaysAllThatIsWrong(t *testing.T) {
	path := inFile(t, "issuers.yaml", `
- name: Acme!
  issuer: http://login.acme.example
  scopes: [email]
  client-secret-file: a
  client-secret-env: B
  domains: ["@acme.example"]
  members:
    - {group: x, workspace: "", role: boss}
- name: open
  issuer: https://accounts.example?x=1
  client-id: crier
  client-secret-env: NOTHING
  members: [{workspace: acme, role: viewer}]
- name: open
  issuer: https://other.example
  client-id: crier
`)
	_, err := Read(path, none)
	if err == nil {
		t.Fatal("nothing is wrong")
	}
	for _, want := range []string{
		"issuer 1", "name: a word", "private: true", "client-id is needed", "scopes lack openid", "one of client-secret-file", `"@acme.example"`, `the role "boss"`, "no workspace",
		"issuer 2 (open)", "an https URL", "secret is empty", "domains have to say",
		"issuer 3 (open): name and issuer are another's too",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not told in:\n%v", want, err)
		}
	}
	if _, err := Read(inFile(t, "issuers.yaml", "- nam: acme\n"), none); err == nil || !strings.Contains(err.Error(), "nam") {
		t.Errorf("Read = %v", err)
	}
}
