package connectortest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"crier/connectors/media"
	"crier/schema"
)

// NoMedia is for items whose content is known: nothing is fetched of those.
type NoMedia struct{}

// Open fails.
func (NoMedia) Open(context.Context, schema.Media) (*media.File, error) {
	return nil, errors.New("fetched, although all of it is known")
}

// Gallery is a server of a picture and a film, for platforms that fetch media by themselves.
type Gallery struct {
	address string
	picture schema.MediaFacts
}

// The beginnings of files, by which their type is told.
var heads = map[string]string{
	"image/jpeg": "\xff\xd8\xff",
	"image/png":  "\x89PNG\r\n\x1a\n",
	"image/gif":  "GIF89a",
	"video/mp4":  "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\x00\x00\x00\x08moov",

	"application/pdf": "%PDF-1.7\n",
}

// NewGallery serves a picture of a type, and a film.
func NewGallery(t *testing.T, pictureType string) *Gallery {
	t.Helper()
	return &Gallery{
		picture: schema.MediaFacts{Kind: schema.Image, Type: pictureType, Size: int64(len(heads[pictureType])), Width: 600, Height: 600},
		address: Serve(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			of := pictureType
			if strings.HasSuffix(r.URL.Path, ".mp4") {
				of = "video/mp4"
			}
			rw.Write([]byte(heads[of]))
		})),
	}
}

// Picture is an item of the picture.
func (g *Gallery) Picture(altText string) schema.Media {
	facts := g.picture
	return schema.Media{Kind: schema.Image, URL: g.address + "/a." + strings.TrimPrefix(facts.Type, "image/"), AltText: altText, Facts: &facts}
}

// Film is an item of the film.
func (g *Gallery) Film(altText string) schema.Media {
	return schema.Media{
		Kind: schema.Video, URL: g.address + "/a.mp4", AltText: altText,
		Facts: &schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Size: int64(len(heads["video/mp4"])), Width: 640, Height: 360},
	}
}

// Fetched writes a file of a type and size as a media source hands it over: its beginning, and
// zeros. Of no size it is the beginning alone.
func Fetched(dir string, facts schema.MediaFacts) (*media.File, error) {
	if facts.Size == 0 {
		facts.Size = int64(len(heads[facts.Type]))
	}
	file, err := os.CreateTemp(dir, "")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := io.WriteString(file, heads[facts.Type]); err != nil {
		return nil, err
	}
	return &media.File{Path: file.Name(), MediaFacts: facts}, file.Truncate(facts.Size)
}
