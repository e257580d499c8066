package compose_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tree is every file and folder of the repository, as paths from its root.
func tree(t *testing.T) (paths []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(".."), ".", func(p string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() && p != "." && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		paths = append(paths, p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

var (
	backticks = regexp.MustCompile("`([^`]+)`")
	pathLike  = regexp.MustCompile(`^(?:\./)?[\w<>.-]+(?:/[\w<>.-]+)*/?$`)
	variable  = regexp.MustCompile(`<\w+>`)
)

// missing are the paths in backticks on a line that nothing of the tree has. A path from
// the root begins with one of its folders. Any other file of Go is somewhere in the folder
// that the line names before it, or anywhere if it names none; so is a folder with its
// slash, which without one before it may be of a bucket or a disk.
func missing(line string, paths []string) (names []string) {
	within := ""
	for _, quoted := range backticks.FindAllStringSubmatch(line, -1) {
		for word := range strings.FieldsSeq(quoted[1]) {
			name := strings.TrimSuffix(strings.TrimPrefix(word, "./"), "/")
			root, _, nested := strings.Cut(name, "/")
			rooted := slices.Contains(paths, root) && (nested || strings.HasSuffix(word, "/"))
			below := strings.HasSuffix(word, ".go") || within != "" && strings.HasSuffix(word, "/")
			if !pathLike.MatchString(word) || !rooted && !below {
				continue
			}
			pattern := variable.ReplaceAllString(regexp.QuoteMeta(name), `[^/]+`)
			if !rooted {
				pattern = regexp.QuoteMeta(within) + `(?:.+/)?` + pattern
			}
			wanted := regexp.MustCompile("^" + pattern + "$")
			if !slices.ContainsFunc(paths, wanted.MatchString) {
				names = append(names, word)
			}
			if folder := name; rooted && !strings.Contains(name, "<") {
				if path.Ext(name) != "" {
					folder = path.Dir(name)
				}
				within = folder + "/"
			}
		}
	}
	return names
}

func TestDocumentsNamePathsThereAre(t *testing.T) {
	paths := tree(t)
	documents := []string{"../README.md"}
	for _, p := range paths {
		if strings.HasPrefix(p, "docs/") && path.Ext(p) == ".md" {
			documents = append(documents, filepath.Join("..", p))
		}
	}
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, name := range missing(line, paths) {
				t.Errorf("%s:%d: there is no %s", document, i+1, name)
			}
		}
	}
}

func TestMissingPathsAreFound(t *testing.T) {
	paths := []string{".", "doc.go", "a", "a/b", "a/b/c.go", "a/d", "a/d/e.go", "f", "f/g.go"}
	for line, want := range map[string]string{
		"`doc.go`, `a/b/c.go`, `a/b`, `a/`": "",
		"`a/b/e.go`":                        "a/b/e.go",
		"`a/x`":                             "a/x",
		"`x/b/c.go`":                        "x/b/c.go",
		"`a/<any>/e.go`":                    "",
		"`a/<any>/g.go`":                    "a/<any>/g.go",
		"`a/` with `b/`, and `f/`":          "",
		"`a/` with `g/`":                    "g/",
		"keys below `check/`":               "",
		"`a/b/c.go` beside `e.go`":          "e.go",
		"`go test ./a/x -run T`":            "./a/x",
		"`GET /posts/{id}`, `database/sql`, `/a/x`, a": "",
	} {
		if got := strings.Join(missing(line, paths), " "); got != want {
			t.Errorf("missing(%s) = %q, want %q", line, got, want)
		}
	}
}
