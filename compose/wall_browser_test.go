//go:build browser

package compose_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestWallsInChromium opens the walls of all platforms, on which everything is loaded that they
// show. CRIER_TEST_SCREENSHOTS names a folder for pictures of them.
func TestWallsInChromium(t *testing.T) {
	w := newWorldWith(t, childConfig{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	w.key = w.createKey(true)
	w.picture, w.upright = w.uploadAs("image/jpeg", sunset(t, 640, 480)), w.uploadAs("image/jpeg", sunset(t, 480, 720))
	film, everywhere := w.publishFilm(t), w.publishEverywhere(t)
	bulk, thread := w.publishBulk(t), w.publishThread(t)
	walls := w.checkBulk(t, bulk)
	w.checkThread(t, thread)
	w.checkFilm(t, film)
	w.checkWall(t, everywhere)
	v := newChromium(t)
	for platform, address := range walls {
		v.lookAt(address, platform)
	}
	v.lookAt(strings.TrimSuffix(walls["mastodon"], "mastodon"), "index")
}

// lookAt opens a page, which has no picture that is broken and is no wider than the window.
func (c *chromium) lookAt(address, name string) {
	c.Helper()
	c.open(address)
	for what, found := range map[string]string{
		"pictures that are broken": `[...document.images].filter(i => { i.loading = "eager"; return i.complete && !i.naturalWidth }).map(i => i.src).join(" ")`,
		"a platform out of sight":  `[...document.querySelectorAll("nav a")].filter(a => a.getBoundingClientRect().right > innerWidth).map(a => a.className).join(" ")`,
		"a page that is too wide":  `document.documentElement.scrollWidth > innerWidth ? document.documentElement.scrollWidth + "px" : ""`,
	} {
		if got := ask(c, chromedp.Evaluate[string](found)); got != "" {
			c.Errorf("%s has %s: %s", name, what, got)
		}
	}
	if folder := os.Getenv("CRIER_TEST_SCREENSHOTS"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, "wall-"+name+".png"), ask(c, chromedp.FullScreenshot(100)), 0o600); err != nil {
			c.Fatal(err)
		}
	}
}

// sunset is a JPEG of a gradient.
func sunset(t *testing.T, width, height int) []byte {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			picture.Set(x, y, color.RGBA{R: 255, G: uint8(200 - 160*y/height), B: uint8(60 + 120*x/width), A: 255})
		}
	}
	var content bytes.Buffer
	if err := jpeg.Encode(&content, picture, nil); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}
