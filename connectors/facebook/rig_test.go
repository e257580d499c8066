package facebook

import (
	"context"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/media"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/facebook"
	"crier/schema"
)

const token = "token-of-a-page"

// rig is a connector before a simulator, both on a clock that stands until it is moved.
type rig struct {
	*Connector
	*connectortest.Rig
	files folder
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{
		Rig:   connectortest.NewRig(t, connectortest.RigConfig{Platform: schema.Facebook, Simulator: simulator.New}),
		files: folder(t.TempDir()),
	}
	r.restart(t)
	return r
}

// restart makes the connector again.
func (r *rig) restart(t *testing.T) {
	t.Helper()
	r.Connector = New(connectors.Parts{
		Base: r.Base, Media: r.files, Now: r.Clock, App: connectortest.App(),
		Client: r.Client(t, connectors.ClientConfig{Calls: Describe().Calls}),
	})
}

// delivery is the first entry of a page's post, claimed now.
func (r *rig) delivery(text string, items ...schema.Media) schema.Delivery {
	return schema.Delivery{
		Account:     schema.Account{ID: schema.NewID[schema.AccountID](r.Clock()), Platform: schema.Facebook, NativeID: r.World.Account(token).ID},
		Credentials: schema.Credentials{AccessToken: token},
		Entries:     1, Text: text, Media: items, Since: r.Clock(),
	}
}

// prepare makes a delivery ready, through errors that pass, on a connector that is made again
// each time.
func (r *rig) prepare(t *testing.T, d schema.Delivery) schema.Delivery {
	t.Helper()
	return connectortest.Prepared(t, d, func() connectors.Connector { r.restart(t); return r.Connector }, r.Pass)
}

func (r *rig) publish(t *testing.T, d schema.Delivery) schema.Receipt {
	t.Helper()
	return connectortest.Published(t, r.Connector, r.prepare(t, d))
}

// folder is a media source whose items name what they hold.
type folder string

// The items there are. The video is of three parts, the last of one byte.
var (
	picture  = schema.Media{Kind: schema.Image, URL: "picture", AltText: "a square"}
	film     = schema.Media{Kind: schema.Video, URL: "film", AltText: "a train arrives"}
	upright  = schema.Media{Kind: schema.Video, URL: "upright"} // of a reel
	epic     = schema.Media{Kind: schema.Video, URL: "epic"}    // longer than a reel
	filmSize = int64(8<<20 + 1)
)

func (dir folder) Open(_ context.Context, m schema.Media) (*media.File, error) {
	facts := schema.MediaFacts{Kind: schema.Image, Type: "image/png", Width: 600, Height: 600}
	switch m.URL {
	case "film":
		facts = schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Width: 640, Height: 360, Duration: 5 * time.Second, Size: filmSize}
	case "upright", "epic":
		facts = schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Width: 1080, Height: 1920, Duration: 50 * time.Second, Size: filmSize}
		if m.URL == "epic" {
			facts.Duration = 2 * time.Minute
		}
	}
	return connectortest.Fetched(string(dir), facts)
}
