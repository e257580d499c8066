package bench

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestReceiverNotesTheFirstDeliveryOfAnEvent(t *testing.T) {
	addresses, err := freeAddresses(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := newSession(t).start(t.Context(), roleReceiver, receiverConfig{addresses[0]})
	if err != nil {
		t.Fatal(err)
	}
	if err := awaitListener(t.Context(), addresses[0]); err != nil {
		t.Fatal(err)
	}
	w := webhooks{receivers: addresses[0]}
	for _, to := range []string{w.address(quickPath, 0), w.address(quickPath, 0), w.address(quickPath, 1), w.address(slowPath, 0)} {
		for _, text := range []string{"burst 1", "burst 2", "other 1"} {
			body := fmt.Sprintf(`{"id": "event of %s", "data": {"post": {"content": %q}}}`, text, text)
			response, err := http.Post(to, "application/json", strings.NewReader(body))
			if err != nil || response.StatusCode != http.StatusOK {
				t.Fatalf("%v, %v", response, err)
			}
			response.Body.Close()
		}
	}
	n, first, last, err := w.delivered(t.Context(), "burst")
	if err != nil || n != 6 || last.Sub(first) < slowAnswer {
		t.Errorf("%d deliveries in %v, %v; want 2 events at 3 receivers", n, last.Sub(first), err)
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}
