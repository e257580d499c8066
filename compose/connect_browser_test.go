//go:build browser

package compose_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// chromium is a person at a headless Chromium.
type chromium struct {
	testing.TB
	tab context.Context
}

func newChromium(t *testing.T) *chromium {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromiumPath(t)), chromedp.UserDataDir(t.TempDir()))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium has none for root
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	tab, stopTab := chromedp.NewContext(allocator)
	t.Cleanup(stopTab)
	tab, stopAll := context.WithTimeout(tab, 3*time.Minute)
	t.Cleanup(stopAll)
	return &chromium{t, tab}
}

func chromiumPath(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CRIER_TEST_CHROMIUM"), "chromium-headless-shell", "headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("there is no Chromium: install the package chromium-headless-shell, or name one by CRIER_TEST_CHROMIUM")
	return ""
}

func (c *chromium) do(steps ...chromedp.Action[chromedp.Void]) {
	c.Helper()
	if err := chromedp.Do(c.tab, steps...); err != nil {
		c.Fatal(err)
	}
}

// ask runs an action that has an answer.
func ask[T any](c *chromium, a chromedp.Action[T]) T {
	c.Helper()
	answer, err := chromedp.Run(c.tab, a)
	if err != nil {
		c.Fatal(err)
	}
	return answer
}

func (c *chromium) open(address string) {
	c.Helper()
	c.do(chromedp.Navigate(address))
}

func (c *chromium) submit(filled ...[2]string) {
	c.Helper()
	button := "form button"
	for _, f := range filled {
		name, value := f[0], f[1]
		pressed, box := fmt.Sprintf(`button[name=%q][value=%q]`, name, value), fmt.Sprintf(`input[type="checkbox"][name=%q][value=%q]`, name, value)
		switch {
		case c.has(pressed):
			button = pressed
		case c.has(box):
			c.do(chromedp.Click(chromedp.CSS(box)))
		default:
			c.do(chromedp.SetValue(chromedp.CSS(fmt.Sprintf(`input[name=%q]`, name)), value))
		}
	}
	if _, err := chromedp.RunResponse(c.tab, chromedp.Click(chromedp.CSS(button))); err != nil {
		c.Fatal(err)
	}
}

func (c *chromium) has(selector string) bool {
	c.Helper()
	return ask(c, chromedp.Evaluate[bool](fmt.Sprintf("document.querySelector(%q) !== null", selector)))
}

func (c *chromium) current() (address, page string) {
	c.Helper()
	return ask(c, chromedp.Location()), ask(c, chromedp.OuterHTML(chromedp.CSS("html")))
}

func TestPersonsConnectAccountsInChromium(t *testing.T) {
	w := newWorld(t, nil)
	v := newChromium(t)
	for _, j := range w.journeys(v) {
		j.run()
	}
	w.sandboxed(v)
	if folder := os.Getenv("CRIER_TEST_SCREENSHOTS"); folder != "" {
		j := w.journeys(v)[2]
		j.begin()
		j.allow()
		v.picture(filepath.Join(folder, "question.png"))
		j.attach()
		v.picture(filepath.Join(folder, "choice.png"))
	}
}

func (c *chromium) picture(file string) {
	c.Helper()
	if err := os.WriteFile(file, ask(c, chromedp.CaptureScreenshot()), 0o600); err != nil {
		c.Fatal(err)
	}
}

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestConnectingIsAsDocumented runs the commands of the page as somebody would who follows it.
func TestConnectingIsAsDocumented(t *testing.T) {
	w := newWorld(t, nil)
	page, err := os.ReadFile("../docs/connecting.md")
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, block := range shellBlock.FindAllSubmatch(page, -1) {
		script.Write(block[1])
	}
	command := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script.String())
	command.Env = append(os.Environ(), "API=http://"+w.config.Listen+"/api/v1", "KEY="+w.createKey(true))
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	for _, want := range []string{`will be connected to the workspace`, `"platform":"mastodon"`, `connected=true&platform=twitter`, `"content":"Connected."`} {
		if !strings.Contains(string(output), want) {
			t.Errorf("following the page does not lead to %s: %s", want, output)
		}
	}
}
