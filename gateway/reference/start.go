package reference

import "strconv"

// startContent is what the start page shows.
type startContent struct {
	Description string
	Basics      []basic
	Resources   []entry // with their operations
	Events      []entry
	Schemas     []entry
}

func (s *site) start() page {
	return s.page(startPage, "start.html", "Reference", func(r *reader) any {
		content := startContent{Description: s.document.object("info").text("description"), Basics: r.basics(), Events: r.eventEntries()}
		for _, tag := range s.tags() {
			resource := r.entry(pathOf(tag.text("name")), tag.text("name"))
			resource.ID, resource.About = "tag-"+resource.Name, firstSentence(tag.text("description"))
			resource.Entries = r.operationEntries(tag)
			content.Resources = append(content.Resources, resource)
		}
		for _, name := range s.document.object("components", "schemas").names() {
			content.Schemas = append(content.Schemas, entry{ID: schemaID(name), Name: name, Href: r.href(s.homes[name], schemaID(name))})
		}
		return content
	})
}

// basics are those of the start page, whose anchors are not those of operations: an old address leads to these.
func (r *reader) basics() []basic {
	all := make([]basic, len(basicsOf))
	for i, b := range basicsOf {
		b.Samples = r.samples[b.ID]
		see := make([]entry, len(b.See))
		for j, e := range b.See {
			see[j] = entry{Name: e.Name, Href: r.root + e.Path}
			if e.ID != "" {
				see[j].Href = r.href(e.Path, e.ID)
			}
		}
		b.ID, b.See = basicID(b), see
		all[i] = b
	}
	return all
}

// basicID is the anchor of a basic.
func basicID(b basic) string {
	if b.ID == "authentication" { // as it has always been
		return b.ID
	}
	return "about-" + b.ID
}

func (r *reader) entry(path, name string) entry {
	return entry{Name: name, Href: r.root + path, IsHere: path == r.page}
}

func (r *reader) operationEntries(tag object) []entry {
	var all []entry
	for _, o := range r.operations() {
		if o.tag == tag.text("name") {
			id := o.object.text("operationId")
			all = append(all, entry{
				ID: id, Name: o.object.text("summary"), Href: r.href(pathOf(o.tag), id), Method: o.method, Path: o.path, About: firstSentence(o.object.text("description")),
			})
		}
	}
	return all
}

func (r *reader) eventEntries() []entry {
	var all []entry
	webhooks := r.document.object("webhooks")
	for _, name := range webhooks.names() {
		id := webhooks.object(name, "post").text("operationId")
		all = append(all, entry{ID: id, Name: name, Href: r.href(eventsPage, id)})
	}
	return all
}

// codeGroup is a kind of codes.
type codeGroup struct {
	ID, Title, About string
	Codes            []entry
}

// codes are all of them, by kind.
func (r *reader) codes() []codeGroup {
	kinds := []codeGroup{
		{ID: "codes", Title: "Errors", About: "of error.code: why a request is refused."},
		{ID: "outcomes", Title: "Outcomes", About: "of what was accepted and fails later, such as platforms[].error.code."},
		{ID: "details", Title: "Details", About: "of error.details[].code and warnings[].code: what is wrong with one field, or worth a warning."},
	}
	for i, problems := range [][]Problem{r.problems[:len(r.Problems.Errors)], r.Problems.Outcomes, r.Problems.Details} {
		for _, problem := range problems {
			e := entry{Name: problem.Code, Href: r.root + errorsPage + "/" + problem.Code, About: problem.Meaning}
			if problem.Status > 0 {
				e.Method = strconv.Itoa(problem.Status)
			}
			kinds[i].Codes = append(kinds[i].Codes, e)
		}
	}
	return kinds
}
