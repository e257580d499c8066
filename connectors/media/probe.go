package media

import (
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"time"

	"github.com/gabriel-vasile/mimetype"
	"golang.org/x/image/webp"

	"crier/schema"
)

// shape is what a file's header says of its content.
type shape struct {
	width, height int
	duration      time.Duration
}

// format is how a type of media is probed.
type format struct {
	kind  schema.MediaKind
	shape func(content io.ReaderAt, size int64) (shape, error)
}

// formatOf returns the media type as platforms know it and how to probe it.
func formatOf(detected string) (string, format, bool) {
	switch detected {
	case "image/jpeg":
		return detected, format{schema.Image, picture(jpeg.DecodeConfig)}, true
	case "image/png", "image/vnd.mozilla.apng":
		return "image/png", format{schema.Image, picture(png.DecodeConfig)}, true
	case "image/webp":
		return detected, format{schema.Image, picture(webp.DecodeConfig)}, true
	case "image/gif":
		return detected, format{schema.GIF, picture(gif.DecodeConfig)}, true
	case "video/mp4", "video/x-m4v":
		return "video/mp4", format{schema.Video, movieShape}, true
	case "video/quicktime":
		return detected, format{schema.Video, movieShape}, true
	case "video/webm":
		return detected, format{schema.Video, webmShape}, true
	case "video/x-msvideo":
		return detected, format{schema.Video, noShape}, true
	case "application/pdf":
		return detected, format{schema.PDF, noShape}, true
	default:
		return detected, format{}, false
	}
}

// probe finds out what content is; it reads headers only.
func probe(content io.ReaderAt, size int64) (File, error) {
	detected, err := mimetype.DetectReader(io.NewSectionReader(content, 0, size))
	if err != nil {
		return File{}, fmt.Errorf("probing media: %w", err)
	}
	name, format, ok := formatOf(detected.String())
	if !ok {
		return File{}, refused("the file is no media that can be posted: it is "+name, nil)
	}
	found, err := format.shape(content, size)
	if err != nil {
		return File{}, refused("the file is damaged or incomplete: "+name, err)
	}
	return File{
		Type: name, Kind: format.kind,
		Width: found.width, Height: found.height, Duration: found.duration,
	}, nil
}

// picture probes by the header that decode reads.
func picture(decode func(io.Reader) (image.Config, error)) func(io.ReaderAt, int64) (shape, error) {
	return func(content io.ReaderAt, size int64) (shape, error) {
		config, err := decode(io.NewSectionReader(content, 0, size))
		if err != nil {
			return shape{}, fmt.Errorf("reading picture's header: %w", err)
		}
		return shape{width: config.Width, height: config.Height}, nil
	}
}

func noShape(io.ReaderAt, int64) (shape, error) { return shape{}, nil }
