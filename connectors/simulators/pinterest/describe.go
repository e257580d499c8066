package pinterest

import (
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Describe returns what there is of the simulator.
func Describe() simulation.Simulator {
	return simulation.Simulator{
		Platform: schema.Pinterest,
		New:      New, NewUnlimited: NewUnlimited, Credentials: credentials,
		Ending: ending(),
	}
}

func credentials(name string) schema.Credentials {
	c := simulation.TokenCredentials(name)
	c.EntityID = Boards(c.AccessToken)[0]
	return c
}
