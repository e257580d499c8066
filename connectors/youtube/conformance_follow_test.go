//go:build conformance

package youtube

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"crier/connectors/simulators/conformance"
	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/youtube"
	"crier/schema"
)

// TestConformanceOfWhatFollows does the same for the looks at a video, its thumbnail, its
// playlists, and a session that is forgotten.
func TestConformanceOfWhatFollows(t *testing.T) {
	description := conformance.Discovery(t, "youtube/discovery.json")
	r := newRig(t)
	r.Base = connectortest.Serve(t, description.Watch(t, Described)(simulator.New(r.World)))
	d := r.publish(t, r.delivery(`{"title":"A train","thumbnailUrl":"http://a.example/picture","playlistIds":["`+simulator.Playlists(token)[0]+`"]}`))
	if lacks := r.closed(t, d); lacks != "" {
		t.Error(lacks)
	}
	d.Receipts, d.Progress = nil, nil
	if _, verdict, err := r.Find(t.Context(), d); verdict != schema.Found {
		t.Errorf("Find = %v, %v", verdict, err)
	}
	description.Report(t)
}

// Described makes an exchange of an upload one of the method that it belongs to; false for what
// the document does not describe.
func Described(e *conformance.Exchange) bool {
	if strings.HasPrefix(e.URL.Path, "/youtube/v3/") {
		return true
	}
	path, isUpload := strings.CutPrefix(e.URL.Path, "/upload")
	if !isUpload {
		return false
	}
	query := e.URL.Query()
	query.Del("upload_id")
	switch {
	case e.Method == http.MethodPut && e.Status != http.StatusOK: // a session's
		return false
	case e.Method == http.MethodPut: // its end answers as the method does
		e.Method, e.RequestBody = http.MethodPost, []byte(`{}`)
		query.Set("part", "snippet")
	case strings.HasSuffix(path, "/thumbnails/set"):
		e.RequestBody = nil // a picture
	case e.Status == http.StatusOK:
		e.Body = []byte(`{}`) // its beginning answers with an address
	}
	e.URL = &url.URL{Path: path, RawQuery: query.Encode()}
	return true
}
