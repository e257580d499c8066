package youtube

import (
	"html/template"
	"net/http"
	"time"

	"crier/connectors/simulators/simulation"
)

// show tells how YouTube shows a video or a comment.
func (s *simulator) show(p simulation.Post) simulation.View {
	view := simulation.View{By: "Channel " + p.Account, Text: p.Text}
	_, fields, isVideo := s.sessionOfVideo(p)
	if !isVideo {
		return view
	}
	r := fields.Resource
	view.Title = r.Snippet.Title
	if r.Status.PrivacyStatus != "public" {
		view.Visibility = r.Status.PrivacyStatus
	}
	for _, label := range []struct {
		has  bool
		text string
	}{
		{r.Status.SelfDeclaredMadeForKids, "made for kids"}, {r.Status.ContainsSyntheticMedia, "altered or synthetic content"},
		{r.Paid.Has, "includes paid promotion"}, {fields.Thumbnail != "", "own thumbnail"},
	} {
		if label.has {
			view.Labels = append(view.Labels, label.text)
		}
	}
	for _, tag := range r.Snippet.Tags {
		view.Labels = append(view.Labels, "tag "+tag)
	}
	for _, playlist := range fields.Playlists {
		view.Labels = append(view.Labels, "in "+playlist)
	}
	return view
}

var page = template.Must(template.New("").Parse(`<!DOCTYPE html><title>YouTube, simulated</title><article><p>{{.Channel}}, {{.At}}</p><h1>{{.Title}}</h1><p style="white-space:pre-wrap">{{.Text}}</p></article>`))

// page shows a video to a browser.
func (s *simulator) page(rw http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("v")
	for p := range s.world.All() {
		if p.ID != id {
			continue
		}
		if s.world.ShowOnWall(rw, r, p) {
			return
		}
		_, fields, _ := s.sessionOfVideo(p)
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		page.Execute(rw, map[string]string{
			"Channel": p.Account, "At": p.CreatedAt.Format(time.RFC3339), "Title": fields.Resource.Snippet.Title, "Text": p.Text,
		})
		return
	}
	http.NotFound(rw, r)
}
