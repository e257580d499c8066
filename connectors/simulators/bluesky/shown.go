package bluesky

import (
	"cmp"
	"encoding/json"

	"crier/connectors/simulators/simulation"
)

// show tells how Bluesky shows a post.
func (s *simulator) show(p simulation.Post) simulation.View {
	fields := written{p}.stored()
	view := simulation.View{By: "@" + cmp.Or(fields.Handle, p.Account), Text: p.Text}
	var record post
	if json.Unmarshal(fields.Record, &record) == nil && record.Embed != nil && record.Embed.External != nil {
		e := record.Embed.External
		view.Link = &simulation.Link{URL: *e.URI, Title: *e.Title, Description: *e.Description}
	}
	return view
}
