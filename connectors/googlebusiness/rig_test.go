package googlebusiness

import (
	"testing"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/googlebusiness"
	"crier/schema"
)

// rig is a connector before a simulator, both on a clock that stands until it is moved.
type rig struct {
	*Connector
	*connectortest.Rig
	picture schema.Media
}

const token = "token-of-a-person"

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{
		Rig:     connectortest.NewRig(t, connectortest.RigConfig{Platform: schema.GoogleBusiness, Simulator: simulator.New, Puller: connectortest.NewHTTP(t)}),
		picture: connectortest.NewGallery(t, "image/png").Picture(""),
	}
	r.Connector = New(connectors.Parts{
		Base: r.Base, Now: r.Clock, Media: connectortest.NoMedia{}, App: connectortest.App(),
		Client: r.Client(t, connectors.ClientConfig{Calls: Describe().Calls}),
	})
	return r
}

// delivery is a post of a location with a picture, claimed now and prepared.
func (r *rig) delivery(t *testing.T, text, settings string) schema.Delivery {
	t.Helper()
	d := schema.Delivery{
		Account:     schema.Account{ID: schema.NewID[schema.AccountID](r.Clock()), Platform: schema.GoogleBusiness},
		Credentials: schema.Credentials{AccessToken: token, EntityID: simulator.Locations(token)[0]},
		Entries:     1, Text: text, Media: []schema.Media{r.picture}, Since: r.Clock(), Settings: []byte(settings),
	}
	progress, err := r.Prepare(t.Context(), d)
	if err != nil || !progress.Ready {
		t.Fatalf("Prepare = %+v, %v", progress, err)
	}
	d.Progress = progress.State
	return d
}

func (r *rig) publish(t *testing.T, d schema.Delivery) schema.Receipt {
	t.Helper()
	return connectortest.Published(t, r.Connector, d)
}
