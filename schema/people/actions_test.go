package people

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestActionsOfCommandsAndOfCrierAreListed reads the actions that stand in the code of commands and stores; the
// gateway looks at those of its operations when it starts.
func TestActionsOfCommandsAndOfCrierAreListed(t *testing.T) {
	written := regexp.MustCompile(`(?:byCommand\(ctx, |BySystem\(ctx, |[aA]ction: +|\.Action(?:, e\.By)? = )"([^"]*)"`)
	found := map[string]bool{}
	for _, folder := range []string{"../../compose", "../postgres", "../../gateway/people"} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, match := range written.FindAllStringSubmatch(string(text), -1) {
				found[match[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for action := range found {
		if !IsAction(action) {
			t.Errorf("%q is not listed", action)
		}
	}
	for _, known := range []string{"user.add", "key.suspend", "key.revoke", "identity.link", "account.end"} { // one of each spelling
		if !found[known] {
			t.Errorf("%q was not found in the code", known)
		}
	}
}
