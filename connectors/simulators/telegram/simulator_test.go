package telegram_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/telegram"
	"crier/schema"
)

const (
	token   = "123456:AAF-secret_part-of-the-token"
	channel = "@crier_news"
)

// clock is moved by hand.
type clock struct{ now time.Time }

func newWorld(c *clock, journal *simulation.Journal) *simulation.World {
	return simulation.NewWorld(simulation.Config{
		Platform: schema.Telegram, Now: func() time.Time { return c.now }, Journal: journal, BaseURL: func() string { return "" },
	})
}

func newClock() *clock { return &clock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

// botAnswer is an answer of the Bot API.
type botAnswer struct {
	OK          bool
	Result      json.RawMessage
	ErrorCode   int `json:"error_code"`
	Description string
	Parameters  struct {
		RetryAfter int `json:"retry_after"`
	}
}

func ask(t *testing.T, h http.Handler, path, contentType, body string) (int, botAnswer) {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	request.Header.Set("Content-Type", contentType)
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, request)
	var a botAnswer
	if err := json.Unmarshal(recorder.Body.Bytes(), &a); err != nil {
		t.Fatalf("answer %q is no JSON: %v", recorder.Body, err)
	}
	if a.OK != (recorder.Code == http.StatusOK) || !a.OK && a.ErrorCode != recorder.Code {
		t.Errorf("status %d with answer %+v", recorder.Code, a)
	}
	return recorder.Code, a
}

func say(t *testing.T, h http.Handler, chat, text string) (int, botAnswer) {
	t.Helper()
	form := url.Values{"chat_id": {chat}, "text": {text}}
	return ask(t, h, "/bot"+token+"/sendMessage", "application/x-www-form-urlencoded", form.Encode())
}

func TestSimulatorRefuses(t *testing.T) {
	const asJSON, asForm = "application/json", "application/x-www-form-urlencoded"
	for name, tt := range map[string]struct {
		path, contentType, body string
		status                  int
		description             string
	}{
		"a path without a bot":     {"/sendMessage", asJSON, `{}`, 404, "Not Found"},
		"a malformed token":        {"/bot123/sendMessage", asJSON, `{}`, 404, "Not Found"},
		"an unknown method":        {"/bot1:a/sendPigeon", asJSON, `{}`, 404, "Not Found: method not found"},
		"broken JSON":              {"/bot1:a/sendMessage", asJSON, `{`, 400, "Bad Request: can't parse the request"},
		"no chat":                  {"/bot1:a/sendMessage", asJSON, `{"text":"x"}`, 400, "Bad Request: chat_id is empty"},
		"a chat that cannot be":    {"/bot1:a/sendMessage", asForm, "chat_id=nowhere&text=x", 400, "Bad Request: chat not found"},
		"chat zero":                {"/bot1:a/sendMessage", asJSON, `{"chat_id":0,"text":"x"}`, 400, "Bad Request: chat not found"},
		"no text":                  {"/bot1:a/sendMessage", asJSON, `{"chat_id":1,"text":" "}`, 400, "Bad Request: message text is empty"},
		"a text that is too long":  {"/bot1:a/sendMessage", asJSON, `{"chat_id":1,"text":"` + strings.Repeat("x", 4097) + `"}`, 400, "Bad Request: message is too long"},
		"markup that is too long":  {"/bot1:a/sendMessage", asJSON, `{"chat_id":1,"parse_mode":"HTML","text":"` + strings.Repeat("<b></b>", 5000) + `x"}`, 400, "Bad Request: text is too long"},
		"an unknown parse mode":    {"/bot1:a/sendMessage", asJSON, `{"chat_id":1,"text":"x","parse_mode":"RTF"}`, 400, "Bad Request: unsupported parse_mode"},
		"a photo without a file":   {"/bot1:a/sendPhoto", asJSON, `{"chat_id":1}`, 400, "Bad Request: there is no photo in the request"},
		"a long caption":           {"/bot1:a/sendPhoto", asJSON, `{"chat_id":1,"caption":"` + strings.Repeat("x", 1025) + `"}`, 400, "Bad Request: message caption is too long"},
		"a photo that is a text":   {"/bot1:a/sendPhoto", formData, formFile("photo", "hello"), 400, "Bad Request: IMAGE_PROCESS_FAILED"},
		"a video that is a text":   {"/bot1:a/sendVideo", formData, formFile("video", "hello"), 400, "Bad Request: wrong file type"},
		"an empty file":            {"/bot1:a/sendVideo", formData, formFile("video", ""), 400, "Bad Request: file must be non-empty"},
		"an album of one":          {"/bot1:a/sendMediaGroup", asJSON, `{"chat_id":1,"media":[{"type":"photo","media":"attach://a"}]}`, 400, "Bad Request: an album must have at least 2 items"},
		"an album without files":   {"/bot1:a/sendMediaGroup", asJSON, `{"chat_id":1,"media":[{"type":"photo","media":"attach://a"},{"type":"photo","media":"attach://b"}]}`, 400, "Bad Request: there is no photo in the request"},
		"an album that is no list": {"/bot1:a/sendMediaGroup", asJSON, `{"chat_id":1,"media":"x"}`, 400, "Bad Request: can't parse media JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(newClock(), nil)
			status, a := ask(t, telegram.New(w), tt.path, tt.contentType, tt.body)
			if status != tt.status || a.Description != tt.description {
				t.Errorf("%d %q, want %d %q", status, a.Description, tt.status, tt.description)
			}
			if len(w.Posts()) != 0 {
				t.Error("it was published")
			}
		})
	}
}

const formData = "multipart/form-data; boundary=frontier"

func formFile(field, content string) string {
	return "--frontier\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n1\r\n" +
		"--frontier\r\nContent-Disposition: form-data; name=\"" + field + "\"; filename=\"f\"\r\n\r\n" + content + "\r\n--frontier--\r\n"
}

func TestSimulatorTakesLimits(t *testing.T) {
	h := telegram.New(newWorld(newClock(), nil))
	if status, a := say(t, h, channel, strings.Repeat("x", 4096)); status != http.StatusOK {
		t.Errorf("a text at the limit: %+v", a)
	}
}

func TestSimulatorLimitsRates(t *testing.T) {
	for name, tt := range map[string]struct {
		chat func(i int) string
		max  int // at once
		wait int // seconds, then
	}{
		"one channel":  {func(int) string { return channel }, 20, 1},
		"one group":    {func(int) string { return "-77" }, 20, 3},
		"all of a bot": {func(i int) string { return "-100" + string(rune('1'+i%9)) + strings.Repeat("0", 1+i/9) }, 30, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			h := telegram.New(newWorld(c, nil))
			for i := range tt.max {
				if status, a := say(t, h, tt.chat(i), "x"); status != http.StatusOK {
					t.Fatalf("message %d: %+v", i+1, a)
				}
			}
			status, a := say(t, h, tt.chat(tt.max), "x")
			if status != http.StatusTooManyRequests || a.Parameters.RetryAfter != tt.wait {
				t.Fatalf("one more: %d %+v, want a wait of %d s", status, a, tt.wait)
			}
			c.now = c.now.Add(time.Duration(tt.wait) * time.Second)
			if status, a := say(t, h, tt.chat(tt.max), "x"); status != http.StatusOK {
				t.Errorf("after the wait: %+v", a)
			}
		})
	}
}

func TestUnlimitedSimulatorTakesAnyRate(t *testing.T) {
	h := telegram.NewUnlimited(newWorld(newClock(), nil))
	for range 100 {
		if status, a := say(t, h, "-77", "x"); status != http.StatusOK {
			t.Fatalf("%+v", a)
		}
	}
}

func TestMarkersForceOutcomes(t *testing.T) {
	for name, tt := range map[string]struct {
		text     string
		statuses []int
	}{
		"a rate limit, once":        {"a [crier:rate-limit]", []int{429, 200}},
		"an outage, twice":          {"a [crier:outage]", []int{500, 500, 200}},
		"an expired token, forever": {"a [crier:expired-token]", []int{401, 401, 401}},
		"a refusal, forever":        {"a [crier:refused]", []int{403, 403, 403}},
	} {
		t.Run(name, func(t *testing.T) {
			h := telegram.New(newWorld(newClock(), nil))
			for i, want := range tt.statuses {
				if status, a := say(t, h, channel, tt.text); status != want {
					t.Errorf("call %d: %d %+v, want %d", i+1, status, a, want)
				}
			}
		})
	}
}

func TestNumberingSurvivesARestart(t *testing.T) {
	folder := t.TempDir()
	number := func() string {
		journal, err := simulation.OpenJournal(folder, schema.Telegram)
		if err != nil {
			t.Fatalf("OpenJournal: %v", err)
		}
		defer journal.Close()
		_, a := say(t, telegram.New(newWorld(newClock(), journal)), channel, "x")
		var m struct {
			ID json.Number `json:"message_id"`
		}
		if err := json.Unmarshal(a.Result, &m); err != nil {
			t.Fatalf("result %s: %v", a.Result, err)
		}
		return m.ID.String()
	}
	if first, second := number(), number(); first != "1" || second != "2" {
		t.Errorf("messages %s and %s, want 1 and 2", first, second)
	}
}
