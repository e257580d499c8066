package instagram

import (
	"encoding/json"
	"testing"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/instagram"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// rig is a connector before a simulator, both on a clock that stands until it is moved.
type rig struct {
	*Connector
	*connectortest.Rig
	*connectortest.Gallery
}

const token = "IGAA-token-of-the-account"

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{
		Rig:     connectortest.NewRig(t, connectortest.RigConfig{Platform: schema.Instagram, Simulator: simulator.New, Puller: connectortest.NewHTTP(t)}),
		Gallery: connectortest.NewGallery(t, "image/jpeg"),
	}
	r.Connector = New(connectors.Parts{
		Base: r.Base, Now: r.Clock, Media: connectortest.NoMedia{}, App: connectortest.App(),
		Client: r.Client(t, connectors.ClientConfig{Calls: Describe().Calls}),
	})
	return r
}

func (r *rig) account() string { return r.World.Account(token).ID }

// delivery is the first entry of a post, claimed now.
func (r *rig) delivery(text string, items ...schema.Media) schema.Delivery {
	return schema.Delivery{
		Account:     schema.Account{ID: schema.NewAccountID(r.Clock()), Platform: schema.Instagram},
		Credentials: schema.Credentials{AccessToken: token, SelfRenewing: true},
		Entries:     1, Text: text, Media: items, Key: "key of " + text, Since: r.Clock(),
	}
}

// prepared is a delivery whose container is ready.
func (r *rig) prepared(t *testing.T, d schema.Delivery) schema.Delivery {
	t.Helper()
	return connectortest.Ready(t, r.Connector, d, r.Pass)
}

func (r *rig) published(t *testing.T, d schema.Delivery) schema.Receipt {
	t.Helper()
	receipt, err := r.Publish(t.Context(), r.prepared(t, d))
	if err != nil {
		t.Fatalf("Publish: %v", err)
	}
	return receipt
}

// made is what the simulator keeps of a post beside what every post has.
type made struct {
	Kind, Location, ShareToFeed, Cover, ThumbOffset, AudioName string
	Collaborators                                              []string
	UserTags                                                   []userTag
	Trial                                                      map[string]string
}

func madeOf(t *testing.T, p simulation.Post) (m made) {
	t.Helper()
	if err := json.Unmarshal(p.Fields, &m); err != nil {
		t.Fatal(err)
	}
	return m
}
