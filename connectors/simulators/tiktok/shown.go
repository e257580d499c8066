package tiktok

import (
	"encoding/json"
	"html/template"
	"net/http"
	"time"

	"crier/connectors/simulators/simulation"
)

// show tells how TikTok shows a video.
func (s *simulator) show(p simulation.Post) simulation.View {
	var post postInfo
	_ = json.Unmarshal(p.Fields, &post)
	view := simulation.View{By: "@user" + p.Account, Text: p.Text}
	switch post.Privacy {
	case friends:
		view.Visibility = "Friends"
	case followers:
		view.Visibility = "Followers"
	case oneself:
		view.Visibility = "Only me"
	}
	for _, label := range []struct {
		text string
		set  bool
	}{
		{"Paid partnership", post.BrandContent != nil && *post.BrandContent},
		{"Promotional content", post.BrandOrganic},
		{"Creator labeled as AI-generated", post.Generated},
		{"comments off", post.NoComment}, {"duet off", post.NoDuet}, {"stitch off", post.NoStitch},
	} {
		if label.set {
			view.Labels = append(view.Labels, label.text)
		}
	}
	return view
}

var page = template.Must(template.New("").Parse(`<!DOCTYPE html><title>TikTok, simulated</title><article><p>{{.By}}, {{.At}}</p><p style="white-space:pre-wrap">{{.Text}}</p></article>`))

// page shows a video to a browser.
func (s *simulator) page(rw http.ResponseWriter, r *http.Request) {
	for p := range s.world.All() {
		if p.ID != r.PathValue("id") {
			continue
		}
		if s.world.ShowOnWall(rw, r, p) {
			return
		}
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		page.Execute(rw, map[string]string{"By": "@user" + p.Account, "At": p.CreatedAt.Format(time.RFC3339), "Text": p.Text}) // fails only when the client is gone
		return
	}
	http.NotFound(rw, r)
}
