package sql

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write statements.sql")

const (
	root   = "../.." // schema/postgres
	golden = "statements.sql"
	// maxFragments is how much a reader of a statement may have to look up.
	maxFragments = 60
)

// composed are the files whose statements are put together from what a filter asks for.
var composed = []string{"posts/list.go", "posts/list_order.go", "posts/list_sources.go", "posts/search.go"}

// TestStatements holds statements.sql against the statements of the code; -update writes it. It fails where a
// statement is joined from parts in Go, and where a name or a fragment is not used.
func TestStatements(t *testing.T) {
	found := readStatements(t)
	var text strings.Builder
	fmt.Fprintf(&text, "-- The %d statements of schema/postgres as PostgreSQL gets them, by file and declaration, with %d fragments\n",
		len(found), len(fragments))
	text.WriteString("-- written out. What is in braces is given at run time. go test ./schema/postgres/internal/sql -update writes this file.\n")
	for _, s := range found {
		fmt.Fprintf(&text, "\n-- %s\n%s;\n", s.place, s.text)
	}
	if len(fragments) > maxFragments {
		t.Errorf("there are %d fragments, want %d at most", len(fragments), maxFragments)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	written, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != text.String() {
		t.Errorf("%s differs from the code: go test ./schema/postgres/internal/sql -update", golden)
	}
}

// TestEachNameIsUsed tells of names and fragments that no statement has.
func TestEachNameIsUsed(t *testing.T) {
	used := map[string]bool{}
	note := func(text string) {
		for braced.MatchString(text) { // from the inside: arguments have names, too
			for _, found := range braced.FindAllStringSubmatch(text, -1) {
				used[found[1]] = true
			}
			text = braced.ReplaceAllString(text, "$1 $2")
		}
	}
	for _, file := range sources(t) {
		for _, literal := range literals(file.syntax) {
			note(literal)
		}
	}
	for _, f := range fragments {
		note(f.text)
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(names)), slices.Collect(maps.Keys(fragments))) {
		if !used[name] {
			t.Errorf("no statement has {%s}", name)
		}
	}
}

// statement is one with its names written out.
type statement struct{ place, text string }

type source struct {
	path   string
	files  *token.FileSet
	syntax *ast.File
}

// sources are the files of schema/postgres without tests.
func sources(t *testing.T) (all []source) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(path, "internal/sql/") || strings.Contains(path, "postgrestest/") {
			return err
		}
		files := token.NewFileSet()
		syntax, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		all = append(all, source{strings.TrimPrefix(path, root+"/"), files, syntax})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func literals(n ast.Node) (all []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if text, ok := literal(n); ok {
			all = append(all, text)
		}
		return true
	})
	return all
}

func literal(n ast.Node) (text string, ok bool) {
	l, ok := n.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(l.Value)
	return text, err == nil
}

var (
	// begins is how a statement does; clause is what one is told by that is joined from parts.
	begins = regexp.MustCompile(`^\s*(?i:select|insert into|update|delete from|with|create|alter|drop|truncate|begin|set|reset|copy|listen|lock)\b`)
	clause = regexp.MustCompile(`(?i)\b(select|insert into|update|delete from|from|where|returning|set|order by|union)\s`)
)

// readStatements reads the statements of the code: what stands in raw strings and begins as one.
func readStatements(t *testing.T) (all []statement) {
	for _, file := range sources(t) {
		for _, d := range file.syntax.Decls {
			ast.Inspect(d, func(n ast.Node) bool {
				if join, ok := n.(*ast.BinaryExpr); ok && join.Op == token.ADD && isJoined(join) && !slices.Contains(composed, file.path) {
					t.Errorf("%s: a statement is joined from parts; write it whole, with names in braces", file.files.Position(n.Pos()))
				}
				l, ok := n.(*ast.BasicLit)
				if !ok || !strings.HasPrefix(l.Value, "`") {
					return true
				}
				if text, _ := literal(l); begins.MatchString(text) && strings.Contains(strings.TrimSpace(text), " ") {
					all = append(all, statement{file.path + " " + declared(d, l), dedented(writtenAs(text))})
				}
				return true
			})
		}
	}
	return all
}

// isJoined reports whether one of the sides is a clause of SQL in a raw string.
func isJoined(join *ast.BinaryExpr) bool {
	for _, side := range []ast.Expr{join.X, join.Y} {
		if l, ok := side.(*ast.BasicLit); ok && strings.HasPrefix(l.Value, "`") && clause.MatchString(l.Value) {
			return true
		}
	}
	return false
}

// declared is what the function, constant or variable of a literal is called.
func declared(d ast.Decl, at ast.Node) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if value, ok := s.(*ast.ValueSpec); ok && s.Pos() <= at.Pos() && at.Pos() < s.End() {
				return value.Names[0].Name
			}
		}
	}
	return ""
}

// writtenAs is a statement written out. What has no name is given at run time: it stays as it is.
func writtenAs(text string) string {
	open, shut := "«", "»"
	text = braced.ReplaceAllStringFunc(text, func(found string) string {
		name := braced.FindStringSubmatch(found)[1]
		_, isName := names[name]
		_, isFragment := fragments[name]
		if isName || isFragment {
			return found
		}
		return open + name + shut
	})
	return strings.NewReplacer(open, "{", shut, "}").Replace(written(text))
}

// dedented takes off the indentation that a statement has in the code.
func dedented(text string) string {
	lines := strings.Split(strings.Trim(text, "\n\t "), "\n")
	minimum := -1
	for _, line := range lines[1:] {
		if indent := len(line) - len(strings.TrimLeft(line, "\t")); strings.TrimSpace(line) != "" && (minimum < 0 || indent < minimum) {
			minimum = indent
		}
	}
	for i, line := range lines {
		if i > 0 && len(line) >= minimum && minimum > 0 {
			line = line[minimum:]
		}
		lines[i] = strings.TrimRight(strings.ReplaceAll(line, "\t", "  "), " ")
	}
	return strings.Join(lines, "\n")
}
