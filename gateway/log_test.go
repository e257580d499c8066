package gateway_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"crier/gateway"
)

// The addresses of files and uploads are all that it takes to use them.
func TestTheLogOfRequestsHasNoSecrets(t *testing.T) {
	log := new(syncBuffer)
	_, media := withMedia(t)
	a := newAPI(t, media, func(c *gateway.Config) {
		c.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	awaited := a.call(http.MethodPost, "/media/upload-url", `{}`).want(http.StatusCreated).at("uploadUrl").text()
	kept := a.upload(pngOf(t, 8, 8)).at("url").text()
	for _, address := range []string{awaited, kept} {
		a.fetch(http.MethodGet, address)
		secret, _, _ := strings.Cut(address[strings.LastIndex(address, "/")+1:], ".")
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has the secret of %s", address)
		}
	}
	if !strings.Contains(log.String(), "/files/:id") {
		t.Errorf("the log does not tell of the requests: %s", log)
	}
}
