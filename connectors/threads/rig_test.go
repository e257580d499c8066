package threads

import (
	"encoding/json"
	"testing"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	simulator "crier/connectors/simulators/threads"
	"crier/schema"
)

// rig is a connector before a simulator, both on a clock that stands until it is moved.
type rig struct {
	*Connector
	*connectortest.Rig
	*connectortest.Gallery
}

const token = "THAA-token-of-the-profile"

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{
		Rig:     connectortest.NewRig(t, connectortest.RigConfig{Platform: schema.Threads, Simulator: simulator.New, Puller: connectortest.NewHTTP(t)}),
		Gallery: connectortest.NewGallery(t, "image/png"),
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
		Account:     schema.Account{ID: schema.NewAccountID(r.Clock()), Platform: schema.Threads},
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
	Kind, ReplyControl, Topic, Link, Quotes string
	Poll                                    map[string]string
}

func madeOf(t *testing.T, p simulation.Post) (m made) {
	t.Helper()
	if err := json.Unmarshal(p.Fields, &m); err != nil {
		t.Fatal(err)
	}
	return m
}
