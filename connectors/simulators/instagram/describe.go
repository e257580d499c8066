package instagram

import (
	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/graph"
	"crier/schema"
)

// Describe returns what there is of the simulator.
func Describe() simulation.Simulator {
	return simulation.Simulator{
		Platform: schema.Instagram,
		New:      New, NewUnlimited: NewUnlimited, Credentials: simulation.TokenCredentials,
		Ending: graph.Ending(withdrawn()),
	}
}
