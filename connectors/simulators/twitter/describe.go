package twitter

import (
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Describe returns what there is of the simulator.
func Describe() simulation.Simulator {
	return simulation.Simulator{
		Platform: schema.Twitter,
		New:      New, NewUnlimited: NewUnlimited, Credentials: simulation.TokenCredentials,
		Ending: ending(),
	}
}
