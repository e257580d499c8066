package connectors_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// source is what the code outside tests says of connectors and of what wraps them.
type source struct {
	files     *token.FileSet
	optional  map[string][]string                   // methods of the optional interfaces of this package
	visible   map[string]bool                       // those of them that make or find an entry
	methods   map[string]map[string]map[string]bool // by folder and type
	wrappers  [][2]string                           // folder and type of structs that hold a connector
	asserted  []string                              // where a connector is asserted to be an optional interface
	embedding map[string][]string                   // what a type embeds, by folder and type
}

func readSource(t *testing.T) *source {
	t.Helper()
	s := &source{
		files: token.NewFileSet(), optional: map[string][]string{}, visible: map[string]bool{},
		methods: map[string]map[string]map[string]bool{}, embedding: map[string][]string{},
	}
	var parsed []*ast.File
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(filepath.Dir(path), "test") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(s.files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil {
			parsed = append(parsed, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, read := range []func(*ast.File){s.readInterfaces, s.readTypes, s.readAssertions} {
		for _, file := range parsed {
			read(file)
		}
	}
	return s
}

func (s *source) folder(n ast.Node) string {
	return filepath.ToSlash(filepath.Dir(strings.TrimPrefix(s.files.Position(n.Pos()).Filename, "../")))
}

// readInterfaces finds the interfaces that connectors may implement: they are exported, and
// documented as being of a connector or a platform.
func (s *source) readInterfaces(file *ast.File) {
	if s.folder(file) != "connectors" {
		return
	}
	for _, declared := range file.Decls {
		types, ok := declared.(*ast.GenDecl)
		if !ok || types.Tok != token.TYPE {
			continue
		}
		for _, spec := range types.Specs {
			named := spec.(*ast.TypeSpec)
			of, isInterface := named.Type.(*ast.InterfaceType)
			documented := strings.HasPrefix(types.Doc.Text(), named.Name.Name+" is a connector ") ||
				strings.HasPrefix(types.Doc.Text(), named.Name.Name+" is a platform ")
			if !isInterface || !documented || named.Name.Name == "Wrapper" {
				continue
			}
			for _, method := range of.Methods.List {
				if len(method.Names) == 0 {
					continue
				}
				name := method.Names[0].Name
				s.optional[named.Name.Name] = append(s.optional[named.Name.Name], name)
				s.visible[name] = returnsReceipt(method.Type.(*ast.FuncType))
			}
		}
	}
}

func returnsReceipt(f *ast.FuncType) bool {
	return f.Results != nil && slices.ContainsFunc(f.Results.List, func(r *ast.Field) bool { return isNamed(r.Type, "schema", "Receipt") })
}

func isNamed(e ast.Expr, pkg, name string) bool {
	selector, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := selector.X.(*ast.Ident)
	return ok && of.Name == pkg && selector.Sel.Name == name
}

// readTypes finds the methods of types, and the structs that hold a connector.
func (s *source) readTypes(file *ast.File) {
	folder := s.folder(file)
	if s.methods[folder] == nil {
		s.methods[folder] = map[string]map[string]bool{}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil {
				return false
			}
			of := receiverName(n.Recv.List[0].Type)
			if s.methods[folder][of] == nil {
				s.methods[folder][of] = map[string]bool{}
			}
			s.methods[folder][of][n.Name.Name] = true
		case *ast.TypeSpec:
			s.readStruct(folder, n)
		}
		return true
	})
}

func (s *source) readStruct(folder string, n *ast.TypeSpec) {
	of, ok := n.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range of.Fields.List {
		if isNamed(field.Type, "connectors", "Connector") {
			s.wrappers = append(s.wrappers, [2]string{folder, n.Name.Name})
		}
		if embedded, ok := field.Type.(*ast.Ident); ok && len(field.Names) == 0 {
			s.embedding[folder+"."+embedded.Name] = append(s.embedding[folder+"."+embedded.Name], n.Name.Name)
		}
	}
}

func receiverName(e ast.Expr) string {
	for {
		switch of := e.(type) {
		case *ast.StarExpr:
			e = of.X
		case *ast.IndexExpr:
			e = of.X
		case *ast.Ident:
			return of.Name
		default:
			return ""
		}
	}
}

// readAssertions finds type assertions, which see nothing through a wrapper.
func (s *source) readAssertions(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if asserted, ok := n.(*ast.TypeAssertExpr); ok {
			for name := range s.optional {
				if isNamed(asserted.Type, "connectors", name) {
					s.asserted = append(s.asserted, s.files.Position(n.Pos()).String()+": "+name)
				}
			}
		}
		return true
	})
}

// TestWrappersLoseNoAbility finds what wraps a connector, wherever it is: what the connector can do
// besides must be found through it, and what it makes visible must pass through it.
func TestWrappersLoseNoAbility(t *testing.T) {
	s := readSource(t)
	if len(s.optional) < 15 || !s.visible["Reply"] || !s.visible["FindReply"] {
		t.Fatalf("optional interfaces: %v", slices.Sorted(maps.Keys(s.optional)))
	}
	for _, where := range s.asserted {
		t.Errorf("%s is asserted, which a wrapper hides: use connectors.Able or connectors.As", where)
	}
	var found int
	for _, w := range s.wrappers {
		folder, name := w[0], w[1]
		if !s.methods[folder][name]["Publish"] {
			continue // it uses a connector, and is none
		}
		found++
		if !s.methods[folder][name]["Unwrap"] {
			t.Errorf("%s.%s wraps a connector without Unwrap: it hides what the connector can do", folder, name)
		}
		for verb, visible := range s.visible {
			implements := func(of string) bool { return s.methods[folder][of][verb] }
			if visible && !implements(name) && !slices.ContainsFunc(s.embedding[folder+"."+name], implements) {
				t.Errorf("%s.%s wraps a connector, and its %s passes it by", folder, name, verb)
			}
		}
	}
	if found == 0 {
		t.Error("no wrapper is found, and the walls have one")
	}
}
