package metadata

import (
	"bytes"
	"io"
	"testing"
)

// fuzz holds what Find says of any bytes against what it promises: its plan fits the file, and what is
// left has nothing more to remove.
func fuzz(f *testing.F, mediaType string, names ...string) {
	for _, name := range names {
		f.Add(read(f, name))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		size := int64(len(content))
		plan, err := Find(bytes.NewReader(content), size, mediaType)
		if err != nil {
			return
		}
		left, err := io.ReadAll(plan.View(bytes.NewReader(content), size))
		if err != nil || int64(len(left)) != size-plan.Removed() {
			t.Fatalf("%d of %d bytes are left, %d removed: %v", len(left), size, plan.Removed(), err)
		}
		again, err := Find(bytes.NewReader(left), int64(len(left)), mediaType)
		if err != nil {
			t.Fatalf("what is left cannot be read: %v", err)
		}
		if len(again.Edits) > 0 {
			t.Fatalf("what is left has more to remove: %+v", again.Edits)
		}
	})
}

func FuzzMetadataJPEG(f *testing.F) { fuzz(f, "image/jpeg", "photo.jpg") }
func FuzzMetadataPNG(f *testing.F)  { fuzz(f, "image/png", "photo.png") }
func FuzzMetadataWebP(f *testing.F) { fuzz(f, "image/webp", "photo.webp") }
func FuzzMetadataGIF(f *testing.F)  { fuzz(f, "image/gif", "photo.gif") }
func FuzzMetadataHEIF(f *testing.F) { fuzz(f, "image/heic", "photo.heic", "photo.avif") }
func FuzzMetadataMovie(f *testing.F) {
	fuzz(f, "video/mp4", "header-first.mp4", "header-last.mp4", "fragmented.mp4", "keys.mov")
}
func FuzzMetadataWebM(f *testing.F) { fuzz(f, "video/webm", "tags.webm") }
func FuzzMetadataAVI(f *testing.F)  { fuzz(f, "video/x-msvideo", "info.avi") }
