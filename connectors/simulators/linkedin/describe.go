package linkedin

import (
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Describe returns what there is of the simulator.
func Describe() simulation.Simulator {
	return simulation.Simulator{
		Platform: schema.LinkedIn,
		New:      New, NewUnlimited: NewUnlimited, Credentials: credentials,
		Ending: ending(),
	}
}

// credentials are an organization's: nobody is shown what a member has published.
func credentials(name string) schema.Credentials {
	c := simulation.TokenCredentials(name)
	c.EntityID = Organizations(c.AccessToken)[0]
	return c
}
