package bluesky

import (
	"cmp"

	"crier/connectors/simulators/simulation"
)

// show tells how Bluesky shows a post.
func (s *simulator) show(p simulation.Post) simulation.Shown {
	return simulation.Shown{By: "@" + cmp.Or(written{p}.stored().Handle, p.Account), Text: p.Text}
}
