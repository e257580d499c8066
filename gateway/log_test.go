package gateway_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"crier/gateway"
	"crier/gateway/gatewaytest"
)

// The addresses of files and uploads are all that it takes to use them.
func TestTheLogOfRequestsHasNoSecrets(t *testing.T) {
	log := new(gatewaytest.LogBuffer)
	_, media := gatewaytest.WithMedia(t)
	a := gatewaytest.New(t, media, func(c *gateway.Config) {
		c.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	awaited := a.Request(http.MethodPost, "/media/upload-url", `{}`).Want(http.StatusCreated).At("uploadUrl").Text()
	mediaURL := a.Upload(gatewaytest.PNG(t, 8, 8)).At("url").Text()
	for _, address := range []string{awaited, mediaURL} {
		a.Fetch(http.MethodGet, address)
		secret, _, _ := strings.Cut(address[strings.LastIndex(address, "/")+1:], ".")
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has the secret of %s", address)
		}
	}
	if !strings.Contains(log.String(), "/files/:id") {
		t.Errorf("the log does not tell of the requests: %s", log)
	}
}
