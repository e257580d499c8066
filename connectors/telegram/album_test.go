package telegram_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	simulator "crier/connectors/simulators/telegram"
	"crier/connectors/telegram"
	"crier/schema"
)

// Telegram settles each item of an album by itself (tdlib/telegram-bot-api Client.cpp,
// on_message_send_failed; rubenlagus/TelegramBots #1520).
func TestAnAlbumOfWhichSomeMayBeSentIsUnknown(t *testing.T) {
	refused := func(status int, body string) *simulation.Fault {
		return &simulation.Fault{Operation: "sendMediaGroup", Status: status, Body: body}
	}
	for name, tt := range map[string]struct {
		text  string
		fault *simulation.Fault
		says  string
	}{
		"an item that failed, named": {text: "[crier:partial]", says: `failed to send message #2 with the error message "Too Many Requests: retry after 2"`},
		"an item's 429, passed on":   {text: "[crier:album-rate-limit]", says: "Too Many Requests: retry after 2"},
		"a 429 of a proxy":           {text: "x", fault: refused(429, "<html>slow down"), says: "429"},
		"a code of a server": {
			text: "x", fault: refused(400, `{"ok":false,"error_code":400,"description":"Bad Request: MEDIA_GROUP_INVALID"}`), says: "MEDIA_GROUP_INVALID",
		},
		"a whole group": {
			text: "x", fault: refused(400, `{"ok":false,"error_code":400,"description":"Bad Request: group send failed"}`), says: "group send failed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			if tt.fault != nil {
				if err := s.world.Inject(*tt.fault); err != nil {
					t.Fatal(err)
				}
			}
			_, err := s.connector.Publish(t.Context(), s.delivery(tt.text, s.item("dot.png"), s.item("dot.jpg")))
			e := connectortest.WantKind(t, err, schema.Unknown)
			if !strings.Contains(e.Message, tt.says) || e.RetryAfter != 0 {
				t.Errorf("message %q, wait %v", e.Message, e.RetryAfter)
			}
			if posts := s.world.Posts(); tt.fault == nil && (len(posts) != 1 || len(posts[0].Media) != 1) {
				t.Errorf("posts %+v, want one of one item", posts)
			}
			d := schema.Delivery{Step: schema.StepPublish, Entries: 1, Tries: schema.DefaultTries, CannotFind: true}
			r := d.After(schema.Outcome{Err: e}, time.Now(), 0)
			d.Step, d.Error = r.Step, r.Error
			r = d.After(schema.Outcome{Verdict: schema.CannotTell}, time.Now(), 0)
			if r.State != schema.TargetFailed || r.Error.Code != schema.CodeOutcomeUnknown || !strings.Contains(r.Error.Message, tt.says) {
				t.Errorf("the target is %v with %+v, want it failed with Telegram's words", r.State, r.Error)
			}
		})
	}
}

// What is refused before any item is sent stays refused, and a rate limit of a single message is waited for.
func TestARefusalBeforeAnyItemStaysOne(t *testing.T) {
	for name, tt := range map[string]struct {
		items  int
		method string
		fault  simulation.Fault
		kind   schema.ErrorKind
	}{
		"an album with bad markup": {2, "sendMediaGroup", simulation.Fault{Status: 400, Body: `{"ok":false,"error_code":400,"description":"Bad Request: can't parse entities: Unexpected end tag"}`}, schema.Refused},
		"an album to no chat":      {2, "sendMediaGroup", simulation.Fault{Status: 400, Body: `{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}`}, schema.TokenDead},
		"a photo, too soon":        {1, "sendPhoto", simulation.Fault{Status: 429}, schema.RateLimited},
		"a text, too soon":         {0, "sendMessage", simulation.Fault{Status: 429}, schema.RateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			tt.fault.Operation = tt.method
			if err := s.world.Inject(tt.fault); err != nil {
				t.Fatal(err)
			}
			d := s.delivery("x")
			for range tt.items {
				d.Media = append(d.Media, s.item("dot.png"))
			}
			_, err := s.connector.Publish(t.Context(), d)
			_ = connectortest.WantKind(t, err, tt.kind)
		})
	}
}

// A group takes 20 messages a minute, and each item of an album is one
// (core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this).
func TestTheMinuteOfAGroup(t *testing.T) {
	for name, tt := range map[string]struct {
		chat    string
		isGroup bool
	}{
		"a group":                           {"-4242", true},
		"a supergroup, by its first answer": {"-1001234567890", true},
		"a channel":                         {"-1009876543210", false},
	} {
		t.Run(name, func(t *testing.T) {
			rig := connectortest.NewRig(t, connectortest.RigConfig{Platform: schema.Telegram, Simulator: simulator.NewUnlimited})
			client := rig.Client(t, connectors.ClientConfig{Calls: telegram.Describe().Calls})
			s := newStage(t)
			c := telegram.New(connectors.Parts{Client: client, Base: rig.Base, Media: s.source, Now: rig.Clock})
			album := s.delivery("x")
			album.Account.ID, album.Credentials.ChatID = schema.NewID[schema.AccountID](rig.Clock()), tt.chat
			for range 8 {
				album.Media = append(album.Media, s.item("dot.png"))
			}
			text := album
			text.Media = nil
			if tt.isGroup {
				rig.Inject(t, simulation.Fault{
					Operation: "sendMediaGroup", Status: http.StatusOK,
					Body: `{"ok":true,"result":[{"message_id":7,"date":1,"chat":{"id":-1001234567890,"type":"supergroup"}}]}`,
				})
			}
			for range 2 {
				if _, err := c.Publish(t.Context(), album); err != nil {
					t.Fatal(err)
				}
			}
			rig.Pass(20 * time.Second)
			_, err := c.Publish(t.Context(), album)
			if !tt.isGroup {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if e := connectortest.WantKind(t, err, schema.RateLimited); e.RetryAfter != 40*time.Second {
				t.Errorf("wait %v, want 40 s", e.RetryAfter)
			}
			if calls := rig.World.Calls("sendMediaGroup"); calls != 2 {
				t.Errorf("%d calls, want 2", calls)
			}
			rig.Pass(39 * time.Second)
			_, err = c.Publish(t.Context(), text) // in the line behind the album
			_ = connectortest.WantKind(t, err, schema.RateLimited)
			rig.Pass(time.Second)
			if _, err := c.Publish(t.Context(), album); err != nil {
				t.Error(err)
			}
		})
	}
}
