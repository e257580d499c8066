package pinterest

import (
	"html/template"
	"net/http"
	"time"
)

var page = template.Must(template.New("").Parse(`<!DOCTYPE html><title>Pinterest, simulated</title><article><p>board {{.Board}}, {{.At}}</p><h1>{{.Title}}</h1><p style="white-space:pre-wrap">{{.Text}}</p></article>`))

// page shows a pin to a browser.
func (s *simulator) page(rw http.ResponseWriter, r *http.Request) {
	for p := range s.world.All() {
		if p.ID != r.PathValue("pin") {
			continue
		}
		if s.world.ShowOnWall(rw, r, p) {
			return
		}
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		page.Execute(rw, map[string]string{
			"Board": p.Account, "At": p.CreatedAt.Format(time.RFC3339), "Title": pinOf(p).Title, "Text": p.Text,
		})
		return
	}
	http.NotFound(rw, r)
}
