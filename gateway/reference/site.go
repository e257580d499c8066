package reference

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// site is what all pages are made of.
type site struct {
	Config

	document object
	samples  map[string][]sample
	homes    map[string]string // the page of each shared schema
	problems []Problem         // by status, then outcomes, then details
}

// The pages that are no resource's.
const (
	startPage   = ""
	errorsPage  = "errors"
	eventsPage  = "events"
	objectsPage = "objects"
)

func newSite(config Config) (*site, error) {
	document, err := parse(config.Description)
	if err != nil {
		return nil, err
	}
	samples, err := samplesByOperation()
	if err != nil {
		return nil, err
	}
	byStatus := func(a, b Problem) int { return cmp.Compare(a.Status, b.Status) }
	problems := slices.SortedStableFunc(slices.Values(config.Problems.Errors), byStatus)
	s := &site{Config: config, document: document, samples: samples, problems: slices.Concat(problems, config.Problems.Outcomes, config.Problems.Details)}
	s.homes = s.schemaHomes()
	return s, nil
}

// page is what a template shows.
type page struct {
	template string

	Path, Title, Version string
	Root                 string // of links to other pages
	Server               string
	Nav                  []entry
	Content              any
}

// entry is a link.
type entry struct {
	ID, Name, Href string
	Method, Path   string // of an operation
	About          string
	IsHere         bool // it leads to the page that it is on
	Entries        []entry
}

// pages are those of the site, by their path below docs.
func (s *site) pages() map[string]page {
	all := map[string]page{
		startPage:   s.start(),
		eventsPage:  s.page(eventsPage, "events.html", "Events", s.eventGroup),
		errorsPage:  s.page(errorsPage, "errors.html", "Errors", func(r *reader) any { return r.codes() }),
		objectsPage: s.page(objectsPage, "objects.html", "Objects", func(r *reader) any { return group{Schemas: r.schemas()} }),
		unknownFile: s.page(unknownFile, "unknown.html", "No such page", func(r *reader) any { return r.codes() }),
	}
	for _, tag := range s.tags() {
		path := pathOf(tag.text("name"))
		all[path] = s.page(path, "resource.html", tag.text("name"), func(r *reader) any { return r.group(tag) })
	}
	for _, problem := range s.problems {
		path := errorsPage + "/" + problem.Code
		all[path] = s.page(path, "error.html", problem.Code, func(*reader) any {
			return problemPage{Problem: problem, Example: exampleOf(s.document, problem.Code), IsDetail: slices.Contains(s.Problems.Details, problem)}
		})
	}
	return all
}

func (s *site) page(path, template, title string, content func(*reader) any) page {
	r := s.reader(path)
	return page{
		template: template, Path: path, Title: title, Version: s.document.object("info").text("version"), Root: r.root, Server: s.Server,
		Nav: s.nav(r), Content: content(r),
	}
}

func (s *site) reader(path string) *reader {
	root := "docs/"
	if path != startPage {
		root = strings.Repeat("../", strings.Count(path, "/"))
	}
	return &reader{site: s, page: path, root: root}
}

// Home is a link to the start page.
func (p page) Home() string {
	if p.Path == startPage {
		return "docs"
	}
	return p.Root + "../docs"
}

// problemPage is what the page of a code shows.
type problemPage struct {
	Problem

	Example  string // of a body, in JSON
	IsDetail bool
}

// tags are the resources.
func (s *site) tags() []object {
	var tags []object
	for _, tag := range s.document.list("tags") {
		tags = append(tags, asObject(tag))
	}
	return tags
}

func pathOf(tag string) string { return strings.ToLower(tag) }

// nav leads to every page, and to the operations or events of the one that it is on.
func (s *site) nav(r *reader) []entry {
	var all []entry
	for _, tag := range s.tags() {
		e := r.entry(pathOf(tag.text("name")), tag.text("name"))
		if e.IsHere {
			e.Entries = r.operationEntries(tag)
		}
		all = append(all, e)
	}
	events := r.entry(eventsPage, "Events")
	if events.IsHere {
		events.Entries = r.eventEntries()
	}
	return append(all, events, r.entry(errorsPage, "Errors"), r.entry(objectsPage, "Objects"))
}

// described is an operation of the description, and its tag.
type described struct {
	method, path, tag string
	object            object
}

// methods are the members of a path that are operations.
var methods = []string{"get", "head", "post", "put", "patch", "delete"}

func (s *site) operations() []described {
	var all []described
	paths := s.document.object("paths")
	for _, path := range paths.names() {
		for _, method := range paths.object(path).names() {
			if slices.Contains(methods, method) {
				o := paths.object(path, method)
				all = append(all, described{strings.ToUpper(method), path, fmt.Sprint(o.list("tags")[0]), o})
			}
		}
	}
	return all
}

// schemaHomes gives each shared schema a page: that of the resource which alone uses it, or that of objects.
func (s *site) schemaHomes() map[string]string {
	homes := make(map[string]string)
	use := func(page string, value any) {
		used := make(map[string]bool)
		s.refs(value, used)
		for name := range used {
			if home := homes[name]; home != "" && home != page {
				homes[name] = objectsPage
			} else {
				homes[name] = page
			}
		}
	}
	for _, o := range s.operations() {
		use(pathOf(o.tag), mapSlice(o.object))
	}
	use(eventsPage, s.document.value("webhooks"))
	for _, name := range s.document.object("components", "schemas").names() {
		homes[name] = cmp.Or(homes[name], objectsPage)
	}
	return homes
}

// refs finds the shared schemas that a part of the description uses.
func (s *site) refs(value any, found map[string]bool) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			s.refs(item, found)
		}
	default:
		o := asObject(value)
		if name := o.refName(); name != "" {
			if found[name] {
				return
			}
			if strings.HasPrefix(o.text("$ref"), "#/components/schemas/") {
				found[name] = true
			}
			s.refs(mapSlice(o.follow(s.document)), found)
			return
		}
		for _, item := range o {
			s.refs(item.Value, found)
		}
	}
}

// codesOf returns the codes that come with a status.
func (s *site) codesOf(status string) []Problem {
	return slices.DeleteFunc(slices.Clone(s.problems), func(p Problem) bool { return strconv.Itoa(p.Status) != status })
}

// exampleOf finds the body of an error among the examples of the shared responses.
func exampleOf(document object, code string) string {
	responses := document.object("components", "responses")
	for _, name := range responses.names() {
		example := responses.object(name, "content", "application/json", "examples", code)
		if example != nil {
			return indented(example.value("value"))
		}
	}
	return ""
}
