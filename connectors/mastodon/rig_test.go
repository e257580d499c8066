package mastodon

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"net/http"
	"os"
	"testing"

	"crier/connectors"
	"crier/connectors/media"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/mastodon"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// rig is a connector before a simulator, both on a clock that stands until it is moved.
type rig struct {
	*Connector
	*connectortest.Rig
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return newRigBehind(t, func(server http.Handler) http.Handler { return server })
}

// newRigOn has the simulator be another server than Mastodon.
func newRigOn(t *testing.T, software string) *rig {
	t.Helper()
	r := newRig(t)
	r.Connector = New(connectors.Parts{
		Base: r.Base + software, Now: r.Clock, Media: folder(t.TempDir()),
		Client: r.Client(t, connectors.ClientConfig{Calls: Describe().Calls}),
	})
	return r
}

// newRigBehind has something stand between the connector and the simulator.
func newRigBehind(t *testing.T, proxy func(http.Handler) http.Handler) *rig {
	t.Helper()
	r := connectortest.NewRig(t, connectortest.RigConfig{
		Platform: schema.Mastodon, Simulator: func(w *simulation.World) http.Handler { return proxy(simulator.New(w)) },
	})
	return &rig{Rig: r, Connector: New(connectors.Parts{
		Base: r.Base, Now: r.Clock, Media: folder(t.TempDir()),
		Client: r.Client(t, connectors.ClientConfig{Calls: Describe().Calls}),
	})}
}

func (r *rig) account() string { return r.World.Account(token).ID }

// add puts a status into the account that no delivery of ours made.
func (r *rig) add(t *testing.T, p simulation.Post) simulation.Post {
	t.Helper()
	p.Account = r.account()
	added, _, err := r.World.Add(p)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

const token = "token-of-the-account"

// delivery is the first entry of a post, claimed now.
func (r *rig) delivery(text string) schema.Delivery {
	return schema.Delivery{
		Account:     schema.Account{Platform: schema.Mastodon, NativeID: r.account()},
		Credentials: schema.Credentials{AccessToken: token},
		Entries:     1, Text: text, Key: "3f7a9b9e-0000-7000-8000-" + text, Since: r.Clock(),
	}
}

func mustPublish(t *testing.T, r *rig, d schema.Delivery) schema.Receipt {
	t.Helper()
	return connectortest.Published(t, r.Connector, d)
}

// folder is a media source whose items name what they hold.
type folder string

const (
	smallImage = "image"
	hugeImage  = "huge image"
	animation  = "animation"
	smallVideo = "video"
	missing    = "missing"
)

func (dir folder) Open(_ context.Context, m schema.Media) (*media.File, error) {
	content, kind := contentOfItem(m.URL)
	if content == nil {
		return nil, &schema.Error{Kind: schema.Refused, Message: "the media is not there"}
	}
	disk, err := os.CreateTemp(string(dir), "")
	if err != nil {
		return nil, err
	}
	defer disk.Close()
	if _, err := disk.Write(content); err != nil {
		return nil, err
	}
	return &media.File{
		Path: disk.Name(), MediaFacts: schema.MediaFacts{Size: int64(len(content)), Kind: kind, Type: http.DetectContentType(content)},
	}, nil
}

func contentOfItem(name string) ([]byte, schema.MediaKind) {
	switch name {
	case smallImage:
		return pngImage(), schema.Image
	case hugeImage:
		return append(pngImage(), make([]byte, usualLimits().ImageBytes)...), schema.Image
	case animation:
		return []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), schema.GIF
	case smallVideo:
		return []byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\x00\x00\x00\x08moov"), schema.Video
	default:
		return nil, ""
	}
}

func pngImage() []byte {
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	return encoded.Bytes()
}

func items(names ...string) []schema.Media {
	var list []schema.Media
	for _, name := range names {
		list = append(list, schema.Media{URL: name, Kind: schema.Image, AltText: "alt of " + name})
	}
	return list
}

// ask calls the simulator by itself, as any client would.
func (r *rig) ask(t *testing.T, method, path, key string, body any) (*http.Response, map[string]any) {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, r.Base+path, bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var decoded map[string]any
	if err := json.NewDecoder(response.Body).Decode(&decoded); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return response, decoded
}
