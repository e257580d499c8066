package mastodon

import (
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Describe returns what there is of the simulator.
func Describe() simulation.Simulator {
	return simulation.Simulator{
		Platform: schema.Mastodon,
		New:      New, NewUnlimited: NewUnlimited, Credentials: simulation.TokenCredentials,
		Ending: ending(),
	}
}
