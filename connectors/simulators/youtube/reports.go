package youtube

import (
	"net/http"
	"slices"
	"strings"

	"crier/connectors/simulators/simulation"
)

// readScopes are the scopes for reports: each is enough by itself (the discovery document of the
// Analytics API). They are checked of tokens that say what was granted.
func readScopes() []string {
	return []string{
		"https://www.googleapis.com/auth/youtube", "https://www.googleapis.com/auth/youtube.readonly", "https://www.googleapis.com/auth/yt-analytics.readonly",
	}
}

// report answers about one video how many watch along it. Too few have watched one without views.
func (s *simulator) report(v visit) {
	token := strings.TrimPrefix(v.r.Header.Get("Authorization"), "Bearer ")
	if held, isTicket := simulation.ParseTicket(token); isTicket &&
		!slices.ContainsFunc(strings.Fields(held.Scope), func(scope string) bool { return slices.Contains(readScopes(), scope) }) {
		v.fail(badScope())
		return
	}
	q := v.r.URL.Query()
	video, ofVideo := strings.CutPrefix(q.Get("filters"), "video==")
	if q.Get("ids") != "channel==MINE" || q.Get("startDate") == "" || q.Get("endDate") < q.Get("startDate") || !ofVideo ||
		q.Get("metrics") != "audienceWatchRatio" || q.Get("dimensions") != "elapsedVideoTimeRatio" {
		v.fail(badRequest("badRequest", "The query is not supported. Check the documentation for supported queries."))
		return
	}
	p, ok := s.world.Post(v.channel, video)
	if !ok {
		v.fail(badRequest("badRequest", "The video is none of the channel's."))
		return
	}
	rows := [][]float64{}
	if s.world.Audience(p).Views > 0 {
		for i := range 100 { // of each hundred, a half stays to the end
			at := float64(i+1) / 100
			rows = append(rows, []float64{at, 1.05 - 0.55*at})
		}
	}
	column := func(name, kind string) map[string]string {
		return map[string]string{"name": name, "columnType": kind, "dataType": "FLOAT"}
	}
	answer(v.rw, http.StatusOK, map[string]any{
		"kind":          "youtubeAnalytics#resultTable",
		"columnHeaders": []any{column("elapsedVideoTimeRatio", "DIMENSION"), column("audienceWatchRatio", "METRIC")}, "rows": rows,
	})
}
