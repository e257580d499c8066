package tiktok

import (
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Describe returns what there is of the simulator.
func Describe() simulation.Simulator {
	return simulation.Simulator{
		Platform: schema.TikTok,
		New:      New, NewUnlimited: NewUnlimited, Credentials: simulation.TokenCredentials,
		Ending: ending(),
	}
}
