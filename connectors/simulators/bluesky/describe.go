package bluesky

import (
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Describe returns what there is of the simulator.
func Describe() simulation.Simulator {
	return simulation.Simulator{
		Platform: schema.Bluesky,
		New:      New, NewUnlimited: NewUnlimited, Credentials: credentials,
		Ending: ending(),
	}
}

func credentials(name string) schema.Credentials {
	return schema.Credentials{Identifier: name + ".sandbox.test", Password: "sand-boxs-andb-oxes"}
}
