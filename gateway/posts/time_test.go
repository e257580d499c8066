package posts_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/gateway/gatewaytest"
	"crier/schema"
)

// A draft has one scheduling mode at its creation, and gets its time by PATCH.
func TestADraftGetsItsTimeByPatch(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	at := a.In(48 * time.Hour)
	e := a.Request(http.MethodPost, "/posts", fmt.Sprintf(`{"content": "x", "platforms": ["mastodon"], "status": "draft", "scheduledFor": %q}`, at)).
		WantError(http.StatusBadRequest, "validation_error").At("details", 0)
	if e.At("code").Text() != "conflict" || !strings.Contains(e.At("message").Text(), "give the draft its time by PATCH") {
		t.Errorf("details = %v", e)
	}
	post := "/posts/" + a.Request(http.MethodPost, "/posts", `{"content": "x", "platforms": ["mastodon"], "status": "draft"}`).Want(http.StatusCreated).At("post", "id").Text()
	for _, step := range []struct{ body, status string }{
		{fmt.Sprintf(`{"scheduledFor": %q}`, at), "draft"}, {`{"status": "scheduled"}`, "scheduled"},
	} {
		changed := a.Request(http.MethodPatch, post, step.body).Want(http.StatusOK).At("post")
		if got := changed.At("scheduledFor").Text(); changed.At("status").Text() != step.status || !strings.HasPrefix(got, strings.TrimSuffix(at, "Z")) {
			t.Errorf("%s: %s at %s, want %s at %s", step.body, changed.At("status").Text(), got, step.status, at)
		}
	}
}

// In Berlin the clocks go back from 3:00 to 2:00 on 25 October 2026, in New York from 2:00 to 1:00 on
// 1 November; in Sydney they go forward from 2:00 to 3:00 on 4 October.
func TestWhatAClockChangeDoesToAPost(t *testing.T) {
	a := gatewaytest.New(t)
	a.AddAccount(a.Workspace, schema.Mastodon, "@a")
	at := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	a.Frozen.Store(&at)
	create := func(zone, wall string) *gatewaytest.Response {
		return a.Request(http.MethodPost, "/posts", fmt.Sprintf(`{"content": %q, "platforms": ["mastodon"], "timezone": %q, "scheduledFor": %q}`, zone+wall, zone, wall))
	}
	for name, tt := range map[string]struct{ zone, wall, want string }{
		"the day before":            {"Europe/Berlin", "2026-10-24T09:00:00", "2026-10-24T07:00:00.000Z"},
		"the day after":             {"Europe/Berlin", "2026-10-26T09:00:00", "2026-10-26T08:00:00.000Z"},
		"what occurs twice":         {"Europe/Berlin", "2026-10-25T02:30:00", "2026-10-25T00:30:00.000Z"},
		"the second, by its offset": {"Europe/Berlin", "2026-10-25T02:30:00+01:00", "2026-10-25T01:30:00.000Z"},
		"another zone":              {"America/New_York", "2026-11-02T09:00:00", "2026-11-02T14:00:00.000Z"},
		"after a skipped hour":      {"Australia/Sydney", "2026-10-04T03:00:00", "2026-10-03T16:00:00.000Z"},
	} {
		post := create(tt.zone, tt.wall).Want(http.StatusCreated).At("post")
		if got := post.At("scheduledFor").Text(); got != tt.want || post.At("timezone").Text() != tt.zone {
			t.Errorf("%s: %s in %s is %s, want %s", name, tt.wall, post.At("timezone").Text(), got, tt.want)
		}
	}
	e := create("Australia/Sydney", "2026-10-04T02:30:00").WantError(http.StatusBadRequest, "validation_error").At("details", 0)
	if e.At("code").Text() != "time_invalid" || !strings.Contains(e.At("message").Text(), "does not occur in Australia/Sydney") {
		t.Errorf("a time that is skipped: %v", e)
	}

	// Once it is scheduled a post keeps its instant; in its own zone a new time is wall time again.
	post := "/posts/" + create("Europe/Berlin", "2026-10-24T10:00:00").Want(http.StatusCreated).At("post", "id").Text()
	after := at.AddDate(0, 0, 2)
	a.Frozen.Store(&after)
	if got := a.Request(http.MethodGet, post, nil).Want(http.StatusOK).At("post", "scheduledFor").Text(); got != "2026-10-24T08:00:00.000Z" {
		t.Errorf("later it is %s", got)
	}
	if got := a.Request(http.MethodPatch, post, `{"scheduledFor": "2026-10-26T10:00:00"}`).Want(http.StatusOK).At("post", "scheduledFor").Text(); got != "2026-10-26T09:00:00.000Z" {
		t.Errorf("moved over the change it is %s", got)
	}

	// A slot of a queue keeps its wall time, and is left out where the clocks skip it.
	queue := a.CreateQueue("Sundays", `{"day": "sunday", "time": "02:30"}`, `, "timezone": "Australia/Sydney"`)
	slots := a.QueueSlots(queue)
	if len(slots) < 2 || fmt.Sprint(slots[0]) != "2026-10-10T15:30:00.000Z" || fmt.Sprint(slots[1]) != "2026-10-17T15:30:00.000Z" {
		t.Errorf("slots = %v, want none on 4 October", slots)
	}
}
