package facebook

import (
	"cmp"
	"html/template"
	"net/http"
	"time"
)

var page = template.Must(template.New("").Parse(`<!DOCTYPE html><title>Facebook, simulated</title><article><p>Page {{.Page}}, {{.At}}</p><p style="white-space:pre-wrap">{{.Text}}</p></article>`))

// page shows a post to a browser.
func (s *simulator) page(rw http.ResponseWriter, r *http.Request) {
	node := cmp.Or(r.PathValue("node"), r.URL.Query().Get("v"))
	for p := range s.world.All() {
		if p.ID == node || nodeOf(p) == node {
			if s.world.ShowOnWall(rw, r, p) {
				return
			}
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			page.Execute(rw, map[string]string{"Page": p.Account, "At": p.CreatedAt.Format(time.RFC3339), "Text": p.Text})
			return
		}
	}
	http.NotFound(rw, r)
}
