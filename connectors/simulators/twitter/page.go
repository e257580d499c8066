package twitter

import (
	"html/template"
	"net/http"

	"crier/connectors/simulators/simulation"
)

var pageTemplate = template.Must(template.New("post").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>A post in the sandbox</title>
<p>{{.Text}}</p>
{{range .Media}}<p>{{.Type}}, {{.Size}} bytes{{with .AltText}}: {{.}}{{end}}</p>
{{end}}</html>
`))

// page shows a post as a browser would get it.
func (s *simulator) page(rw http.ResponseWriter, r *http.Request) {
	for post := range s.world.All() {
		if post.ID == r.PathValue("id") {
			if !s.world.ShowOnWall(rw, r, post) {
				showPage(rw, post)
			}
			return
		}
	}
	http.NotFound(rw, r)
}

func showPage(rw http.ResponseWriter, post simulation.Post) {
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	pageTemplate.Execute(rw, post) // fails only when the client is gone
}
