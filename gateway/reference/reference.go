package reference

// referencePage is what the reference shows.
type referencePage struct {
	Title, Version, Description, Server string
	Groups                              []group
	Events                              []operation
	Problems                            []Problem
	Schemas                             []named
}

func (p *Pages) renderReference(server string) ([]byte, error) {
	document, err := p.document()
	if err != nil {
		return nil, err
	}
	r := &reader{document: document, codesOf: p.codesOf}
	info := document.object("info")
	return p.render("reference.html", referencePage{
		Title: info.text("title"), Version: info.text("version"), Description: info.text("description"), Server: server,
		Groups: r.groups(), Events: r.events(), Problems: p.problems, Schemas: r.schemas(),
	})
}
