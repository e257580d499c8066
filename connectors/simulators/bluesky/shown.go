package bluesky

import (
	"cmp"
	"encoding/json"

	"crier/connectors/simulators/simulation"
)

// show tells how Bluesky shows a post.
func (s *simulator) show(p simulation.Post) simulation.Shown {
	kept := written{p}.stored()
	shown := simulation.Shown{By: "@" + cmp.Or(kept.Handle, p.Account), Text: p.Text}
	var record post
	if json.Unmarshal(kept.Record, &record) == nil && record.Embed != nil && record.Embed.External != nil {
		e := record.Embed.External
		shown.Link = &simulation.Link{URL: *e.URI, Title: *e.Title, Description: *e.Description}
	}
	return shown
}
