package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// platformsKey is the one key of a file that is no flag: it has a map for each platform.
const platformsKey = "platforms"

// entry is a value of a configuration file, as text: that of a list or a map is joined with
// commas, as flags have it.
type entry struct {
	text   string
	origin string // FILE:LINE
}

// file is a configuration file. An empty one says nothing.
type file struct {
	path    string
	entries map[string]entry // by flag; those of platforms as platforms.twitter.client-id
	keys    []string         // of entries, in the order of the file
}

// readFile reads a configuration file. The errors are all that is wrong with it, apart from
// names and values that only the flags know.
func readFile(path string) (file, []error) {
	f := file{path: path, entries: map[string]entry{}}
	content, err := os.ReadFile(path)
	if err != nil {
		return f, []error{fmt.Errorf("reading the configuration of --config: %w", err)}
	}
	tree, err := parser.ParseBytes(content, 0)
	if err != nil {
		return f, []error{f.syntax(err)}
	}
	var wrong []error
	for i, document := range tree.Docs {
		switch body := document.Body.(type) {
		case nil, *ast.NullNode, *ast.CommentGroupNode:
		case *ast.MappingNode:
			if i > 0 {
				wrong = append(wrong, fmt.Errorf("%s: one document is wanted, and it holds several", f.origin(body)))
				break
			}
			wrong = append(wrong, f.take("", body)...)
		default:
			wrong = append(wrong, fmt.Errorf("%s: names with values are wanted, such as drain: 40s", f.origin(body)))
		}
	}
	return f, wrong
}

// syntax is an error of the parser without the lines that it quotes: they may hold secrets.
func (f *file) syntax(err error) error {
	if failure, ok := errors.AsType[yaml.Error](err); ok {
		if token := failure.GetToken(); token != nil {
			return fmt.Errorf("%s:%d: %s", f.name(), token.Position.Line, failure.GetMessage())
		}
		return fmt.Errorf("%s: %s", f.name(), failure.GetMessage())
	}
	return fmt.Errorf("%s is no YAML", f.name())
}

func (f *file) name() string { return filepath.Base(f.path) }

func (f *file) origin(n ast.Node) string {
	if token := n.GetToken(); token != nil {
		return fmt.Sprintf("%s:%d", f.name(), token.Position.Line)
	}
	return f.name()
}

// take keeps the values of a map, and those of the maps of platforms under it.
func (f *file) take(prefix string, mapping *ast.MappingNode) (wrong []error) {
	for _, pair := range mapping.Values {
		name := prefix + pair.Key.GetToken().Value
		inner, isMap := pair.Value.(*ast.MappingNode)
		if isMap && (name == platformsKey || prefix == platformsKey+".") {
			wrong = append(wrong, f.take(name+".", inner)...)
			continue
		}
		text, known := textOf(pair.Value)
		switch {
		case !known || name == platformsKey:
			wrong = append(wrong, fmt.Errorf("%s: %s cannot be read: a value is wanted, or a list or a map of them", f.origin(pair.Key), name))
		case text != "":
			f.entries[name] = entry{text, f.origin(pair.Key)}
			f.keys = append(f.keys, name)
		}
	}
	return wrong
}

// textOf is a value as a flag has it; nothing for null.
func textOf(n ast.Node) (text string, known bool) {
	var all []string
	switch n := n.(type) {
	case *ast.SequenceNode:
		for _, value := range n.Values {
			text, known := scalarOf(value)
			if !known {
				return "", false
			}
			all = append(all, text)
		}
		return strings.Join(all, ","), true
	case *ast.MappingNode:
		for _, pair := range n.Values {
			text, known := scalarOf(pair.Value)
			if !known {
				return "", false
			}
			all = append(all, pair.Key.GetToken().Value+"="+text)
		}
		slices.Sort(all)
		return strings.Join(all, ","), true
	default:
		return scalarOf(n)
	}
}

// scalarOf is a single value as it is written: 010 stays that.
func scalarOf(n ast.Node) (text string, known bool) {
	switch n := n.(type) {
	case *ast.NullNode:
		return "", true
	case *ast.LiteralNode:
		return strings.TrimSpace(n.Value.Value), true
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	default:
		return "", false
	}
}
