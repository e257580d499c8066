package telegram_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/connectors/telegram"
	"crier/schema"
)

func TestPublishAddressesTheMessage(t *testing.T) {
	for name, tt := range map[string]struct{ chat, url string }{
		"a public channel":  {channel, "https://t.me/crier_news/1"},
		"a private channel": {"-1001234567890", "https://t.me/c/1234567890/1"},
		"a group":           {"-4242", ""},
		"a person":          {"4242", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			d := s.delivery("hello")
			d.Entry, d.Credentials.ChatID = 2, tt.chat
			r, err := s.connector.Publish(t.Context(), d)
			if err != nil {
				t.Fatalf("Publish: %v", err)
			}
			if r.NativeID != "1" || r.URL != tt.url || r.Entry != 2 || time.Since(r.PostedAt) > time.Hour {
				t.Errorf("receipt %+v, want id 1 and url %q", r, tt.url)
			}
			posts := s.world.Posts()
			if len(posts) != 1 || posts[0].Text != "hello" || posts[0].Account != tt.chat || posts[0].ID != r.NativeID {
				t.Errorf("posts %+v", posts)
			}
		})
	}
}

func TestPublishUploadsMedia(t *testing.T) {
	for name, tt := range map[string]struct {
		files  []string
		method string
		types  []string
	}{
		"a photo":          {[]string{"dot.jpg"}, "sendPhoto", []string{"image/jpeg"}},
		"a video":          {[]string{"clip.mp4"}, "sendVideo", []string{"video/mp4"}},
		"an album of both": {[]string{"dot.png", "clip.mp4", "dot.jpg"}, "sendMediaGroup", []string{"image/png", "video/mp4", "image/jpeg"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			d := s.delivery("a caption")
			for _, file := range tt.files {
				d.Media = append(d.Media, s.item(file))
			}
			if p, err := s.connector.Prepare(t.Context(), d); err != nil || !p.Ready {
				t.Fatalf("Prepare = %+v, %v", p, err)
			}
			r, err := s.connector.Publish(t.Context(), d)
			if err != nil || r.NativeID != "1" {
				t.Fatalf("Publish = %+v, %v", r, err)
			}
			if got := s.world.Calls(tt.method); got != 1 {
				t.Errorf("%d calls of %s, want 1", got, tt.method)
			}
			post := s.world.Posts()[0]
			var types []string
			for _, m := range post.Media {
				types = append(types, m.Type)
			}
			if post.Text != "a caption" || strings.Join(types, " ") != strings.Join(tt.types, " ") {
				t.Errorf("post %+v, want media %v", post, tt.types)
			}
			if next, err := s.connector.Publish(t.Context(), s.delivery("next")); err != nil || next.NativeID == r.NativeID {
				t.Errorf("the next message is %+v, %v", next, err)
			}
		})
	}
}

func TestVideosAreDescribed(t *testing.T) {
	s := newStage(t)
	if _, err := s.connector.Publish(t.Context(), s.delivery("", s.item("clip.mp4"))); err != nil {
		t.Fatalf("Publish: %v", err)
	}
	for _, field := range []string{"width\"\r\n\r\n640", "height\"\r\n\r\n360", "duration\"\r\n\r\n3\r\n", "supports_streaming\"\r\n\r\ntrue"} {
		if !strings.Contains(s.requests.last(), field) {
			t.Errorf("the request has no %q", field)
		}
	}
	if strings.Contains(s.requests.last(), `name="caption"`) {
		t.Error("an empty text became a caption")
	}
}

func TestPublishSendsSettings(t *testing.T) {
	settings := json.RawMessage(`{"parseMode":"HTML","disableNotification":true,"linkPreviewOptions":{"isDisabled":true,"url":"https://example.com"}}`)
	t.Run("with a text", func(t *testing.T) {
		s := newStage(t)
		d := s.delivery("<b>hi</b>")
		d.Settings = settings
		if _, err := s.connector.Publish(t.Context(), d); err != nil {
			t.Fatalf("Publish: %v", err)
		}
		want := `{"chat_id":"@crier_news","text":"\u003cb\u003ehi\u003c/b\u003e","parse_mode":"HTML","disable_notification":true,"link_preview_options":{"is_disabled":true,"url":"https://example.com"}}`
		if got := s.requests.last(); got != want {
			t.Errorf("request %s, want %s", got, want)
		}
	})
	t.Run("with an album, on its first item", func(t *testing.T) {
		s := newStage(t)
		d := s.delivery("hi", s.item("dot.png"), s.item("dot.jpg"))
		d.Settings = settings
		if _, err := s.connector.Publish(t.Context(), d); err != nil {
			t.Fatalf("Publish: %v", err)
		}
		want := `[{"type":"photo","media":"attach://file0","caption":"hi","parse_mode":"HTML"},{"type":"photo","media":"attach://file1"}]`
		if got := s.requests.last(); !strings.Contains(got, want) || !strings.Contains(got, "disable_notification\"\r\n\r\ntrue") {
			t.Errorf("request %.600s, want media %s", got, want)
		}
	})
}

func TestAnswersBecomeErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		fault   simulation.Fault
		kind    schema.ErrorKind
		message string
		wait    time.Duration
	}{
		"too many requests": {
			fault: simulation.Fault{Status: 429, Body: `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 5","parameters":{"retry_after":5}}`},
			kind:  schema.RateLimited, message: "Too Many Requests: retry after 5", wait: 5 * time.Second,
		},
		"a revoked token":   {fault: simulation.Fault{Status: 401}, kind: schema.TokenDead, message: "Unauthorized"},
		"a token of no bot": {fault: simulation.Fault{Status: 404, Body: `{"ok":false,"error_code":404,"description":"Not Found"}`}, kind: schema.TokenDead},
		"a kicked bot": {
			fault: simulation.Fault{Status: 403, Body: `{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked from the channel chat"}`},
			kind:  schema.TokenDead, message: "Forbidden: bot was kicked from the channel chat",
		},
		"a group that became a supergroup": {
			fault: simulation.Fault{Status: 400, Body: `{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat","parameters":{"migrate_to_chat_id":-1009876543210}}`},
			kind:  schema.TokenDead, message: "the group has become a supergroup: connect it again with the chat id -1009876543210",
		},
		"a bad request": {
			fault: simulation.Fault{Status: 400, Body: `{"ok":false,"error_code":400,"description":"Bad Request: can't parse entities"}`},
			kind:  schema.Refused, message: "Bad Request: can't parse entities",
		},
		"a failing server":             {fault: simulation.Fault{Status: 500}, kind: schema.Unknown},
		"a proxy's page":               {fault: simulation.Fault{Status: 200, Body: "<html>"}, kind: schema.Unknown},
		"an answer without a message":  {fault: simulation.Fault{Status: 200, Body: `{"ok":true,"result":{}}`}, kind: schema.Unknown},
		"a lost answer":                {fault: simulation.Fault{Lose: true}, kind: schema.Unknown},
		"a connection cut before that": {fault: simulation.Fault{Refuse: true}, kind: schema.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			tt.fault.Operation = "sendMessage"
			if err := s.world.Inject(tt.fault); err != nil {
				t.Fatalf("Inject: %v", err)
			}
			_, err := s.connector.Publish(t.Context(), s.delivery("hello"))
			got := connectortest.WantKind(t, err, tt.kind)
			if tt.message != "" && got.Message != tt.message {
				t.Errorf("message %q, want %q", got.Message, tt.message)
			}
			if got.RetryAfter != tt.wait {
				t.Errorf("RetryAfter = %s, want %s", got.RetryAfter, tt.wait)
			}
			if calls := s.world.Calls("sendMessage"); calls != 1 {
				t.Errorf("%d calls, want 1: a visible call is never repeated", calls)
			}
		})
	}
}

func TestTokenIsNeverShown(t *testing.T) {
	faults := map[string]simulation.Fault{
		"a lost answer":     {Lose: true},
		"a failing server":  {Status: 502, Body: "no answer for /bot" + token + "/sendMessage"},
		"an echoing server": {Status: 400, Body: `{"ok":false,"error_code":400,"description":"POST /bot` + token + `/sendMessage"}`},
		"a redirect":        {Status: 302, Header: map[string]string{"Location": "/bot" + token + "/elsewhere"}},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			if err := s.world.Inject(fault); err != nil {
				t.Fatalf("Inject: %v", err)
			}
			_, err := s.connector.Publish(t.Context(), s.delivery("hello"))
			s.wantNoToken(t, err)
		})
	}
	t.Run("nobody listens", func(t *testing.T) {
		s := newStage(t)
		_, err := s.newConnectorTo(t, "http://127.0.0.1:1").Publish(t.Context(), s.delivery("hello"))
		connectortest.WantKind(t, err, schema.Retryable)
		s.wantNoToken(t, err)
	})
	t.Run("an address that is none", func(t *testing.T) {
		s := newStage(t)
		_, err := s.newConnectorTo(t, "http://127.0.0.1:port").Publish(t.Context(), s.delivery("hello"))
		s.wantNoToken(t, err)
	})
}

func (s *stage) wantNoToken(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	output := err.Error() + s.log.String()
	families, gathering := s.registry.Gather()
	if gathering != nil {
		t.Fatalf("gathering metrics: %v", gathering)
	}
	for _, family := range families {
		output += family.String()
	}
	if strings.Contains(output, "secret_part") {
		t.Errorf("the token is shown: %s", output)
	}
}

func TestMalformedTokenIsNotSent(t *testing.T) {
	for name, malformed := range map[string]string{
		"empty": "", "no colon": "123456", "a path": "1:a/../../x", "a query": "1:a?x=", "no number": "a:b",
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			d := s.delivery("hello")
			d.Credentials.BotToken = malformed
			_, err := s.connector.Publish(t.Context(), d)
			connectortest.WantKind(t, err, schema.TokenDead)
			if s.requests.last() != "" {
				t.Error("a request was sent")
			}
		})
	}
}

func TestPrepareRefusesWhatTelegramWould(t *testing.T) {
	for name, tt := range map[string]struct {
		file, message string
	}{
		"a gif":         {"dot.gif", "not image/gif"},
		"a large photo": {"large.png", "at most 10485760 bytes"},
		"a large video": {"large.mp4", "at most 52428800 bytes"},
		"nothing there": {"missing.png", "404"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			item := s.item(tt.file)
			item.KeepMetadata = true // what makes it large is behind the picture
			_, err := s.connector.Prepare(t.Context(), s.delivery("", s.item("dot.png"), item))
			if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, tt.message) {
				t.Errorf("message %q, want one with %q", e.Message, tt.message)
			}
			if s.requests.last() != "" {
				t.Error("Telegram was called")
			}
		})
	}
}

func TestNothingCanBeFoundOrCommented(t *testing.T) {
	s := newStage(t)
	if _, verdict, err := s.connector.Find(t.Context(), s.delivery("hello")); verdict != schema.CannotTell || err != nil {
		t.Errorf("Find = %v, %v", verdict, err)
	}
	d := s.delivery("")
	d.Comment = &schema.Comment{Text: "first"}
	_, err := s.connector.Comment(t.Context(), d)
	connectortest.WantKind(t, err, schema.Refused)
}

func TestCheck(t *testing.T) {
	s := newStage(t)
	credentials := schema.Credentials{BotToken: token, ChatID: channel}
	p, err := s.connector.Check(t.Context(), schema.Account{}, credentials)
	if err != nil || p.Name != channel || !strings.HasPrefix(p.NativeID, "-100") || p.Server != s.server {
		t.Errorf("Verify of a name = %+v, %v", p, err)
	}
	credentials.ChatID = "-1001234567890"
	p, err = s.connector.Check(t.Context(), schema.Account{}, credentials)
	if err != nil || p.NativeID != "-1001234567890" || p.Name != "Simulated channel" {
		t.Errorf("Verify of a number = %+v, %v", p, err)
	}
	credentials.ChatID = "nowhere"
	_, err = s.connector.Check(t.Context(), schema.Account{}, credentials)
	if e := connectortest.WantKind(t, err, schema.TokenDead); e.End != schema.EndRemoved || e.Message != "Bad Request: chat not found" {
		t.Errorf("message %q", e.Message)
	}
	if err := s.world.Inject(simulation.Fault{Operation: "getMe", Status: 401}); err != nil {
		t.Fatalf("Inject: %v", err)
	}
	_, err = s.connector.Check(t.Context(), schema.Account{}, credentials)
	connectortest.WantKind(t, err, schema.TokenDead)
}

func TestAccountsOwnServerIsCalled(t *testing.T) {
	s := newStage(t)
	d := s.delivery("hello")
	d.Account.Server = s.server + "/"
	if _, err := s.newConnectorTo(t, "http://127.0.0.1:1").Publish(t.Context(), d); err != nil {
		t.Errorf("Publish: %v", err)
	}
}

// newConnectorTo makes a connector with metrics of its own.
func (s *stage) newConnectorTo(t *testing.T, base string) *telegram.Connector {
	t.Helper()
	s.registry = prometheus.NewRegistry()
	return s.newConnector(t, base)
}
