package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/schema"
)

func TestAnswers(t *testing.T) { connectortest.Meanings(t, Answers(nil, "GET /me")) }

// A code means something only with the status and the call that it came with: in May 2026 Meta answered
// reads of what was there, and calls that had worked, with the code of a missing permission for days.
func TestRefusals(t *testing.T) {
	visible, hidden := connectors.Call{Method: "POST", Visible: true}, connectors.Call{Method: "POST"}
	read, ofToken := connectors.Call{Method: "GET"}, connectors.Call{Method: "GET", Operation: "GET /me"}
	const regain = `{"1":[{"call_count":100,"estimated_time_to_regain_access":7}]}`
	for name, tt := range map[string]struct {
		call   connectors.Call
		status int
		header http.Header
		body   string // of its error
		want   schema.Error
	}{
		"a token that expired":            {visible, 400, nil, `"code":190,"error_subcode":463`, schema.Error{Kind: schema.TokenDead}},
		"a person who has to log in":      {visible, 400, nil, `"code":190,"error_subcode":459`, schema.Error{Kind: schema.TokenDead, End: schema.EndDeactivated}},
		"the same, on a read":             {read, 400, nil, `"code":190,"error_subcode":459`, schema.Error{Kind: schema.TokenDead}},
		"the same, of whose token it is":  {ofToken, 400, nil, `"code":190,"error_subcode":459`, schema.Error{Kind: schema.TokenDead, End: schema.EndDeactivated}},
		"a session":                       {visible, 401, nil, `"code":102`, schema.Error{Kind: schema.TokenDead}},
		"a permission":                    {visible, 403, nil, `"code":10`, schema.Error{Kind: schema.TokenDead, Doubtful: true}},
		"a permission by its number":      {hidden, 403, nil, `"code":200`, schema.Error{Kind: schema.TokenDead, Doubtful: true}},
		"a permission, on a read":         {read, 403, nil, `"code":10`, schema.Error{Kind: schema.RateLimited, Alone: true, RetryAfter: incidentWait}},
		"even of whose token it is":       {ofToken, 403, nil, `"code":10`, schema.Error{Kind: schema.RateLimited, Alone: true, RetryAfter: incidentWait}},
		"a permission of a failed server": {visible, 500, nil, `"code":10`, schema.Error{Kind: schema.Unknown}},
		"a dead token of one":             {visible, 500, nil, `"code":190`, schema.Error{Kind: schema.Unknown}},
		"a limit of one":                  {visible, 503, nil, `"code":4`, schema.Error{Kind: schema.Unknown}},
		"of one, where nobody sees it":    {hidden, 500, nil, `"code":10`, schema.Error{Kind: schema.Retryable}},
		"what follows the permissions":    {visible, 400, nil, `"code":300`, schema.Error{Kind: schema.Refused}},
		"the app's limit":                 {visible, 400, nil, `"code":4`, schema.Error{Kind: schema.RateLimited, RetryAfter: defaultWait}},
		"a block for spam":                {visible, 400, nil, `"code":4,"error_subcode":2207051`, schema.Error{Kind: schema.Refused}},
		"a limit with its time":           {visible, 400, http.Header{"X-Business-Use-Case-Usage": {regain}}, `"code":80002`, schema.Error{Kind: schema.RateLimited, RetryAfter: 7 * time.Minute}},
		"a limit with a usual wait":       {visible, 429, http.Header{"Retry-After": {"3"}}, `"code":613`, schema.Error{Kind: schema.RateLimited, RetryAfter: 3 * time.Second}},
		"a limit by the status":           {visible, 429, nil, `"code":5`, schema.Error{Kind: schema.RateLimited, RetryAfter: defaultWait}},
		"the same post once more":         {visible, 400, nil, `"code":506`, schema.Error{Kind: schema.Duplicate}},
		"an error that passes":            {visible, 400, nil, `"code":100,"is_transient":true`, schema.Error{Kind: schema.Unknown}},
		"a service that is away":          {visible, 500, nil, `"code":2`, schema.Error{Kind: schema.Unknown}},
		"a parameter":                     {visible, 400, nil, `"code":100`, schema.Error{Kind: schema.Refused}},
	} {
		t.Run(name, func(t *testing.T) {
			base := connectortest.Serve(t, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				maps.Copy(rw.Header(), tt.header)
				rw.WriteHeader(tt.status)
				fmt.Fprintf(rw, `{"error":{"message":"m",%s}}`, tt.body)
			}))
			client := connectors.NewClient(connectors.ClientConfig{
				Calls: connectors.Calls{Platform: schema.Threads, Answers: Answers(nil, "GET /me")}, HTTP: connectortest.NewHTTP(t),
				Logger: slog.New(slog.DiscardHandler), Metrics: connectors.NewMetrics(prometheus.NewRegistry()), Now: time.Now,
			})
			tt.call.URL = base
			_, err := client.Do(t.Context(), tt.call, nil)
			e := connectortest.WantKind(t, err, tt.want.Kind)
			if e.End != tt.want.End || e.Doubtful != tt.want.Doubtful || e.RetryAfter != tt.want.RetryAfter || e.Alone != tt.want.Alone || e.Message != "m" {
				t.Errorf("it means %+v, want %+v", e, tt.want)
			}
			if r, ok := errors.AsType[Error](err); !ok || r.Status != tt.status {
				t.Errorf("the cause is %v", e.Err)
			}
		})
	}
}

func TestRefusalsAreReadAsTheyStandThere(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		says string
		ok   bool
	}{
		"a page of a proxy":  {`<html>`, "", false},
		"JSON of another":    {`{"error":"no"}`, "", false},
		"what is for people": {`{"error":{"message":"(#36003) bad","code":36003,"error_user_msg":"The picture is too wide."}}`, "The picture is too wide.", true},
	} {
		t.Run(name, func(t *testing.T) {
			refusal, ok := readRefusal(&connectors.Response{Status: 400, Body: []byte(tt.body)})
			if ok != tt.ok || refusal.Message != tt.says {
				t.Errorf("it is read as %+v, %t", refusal, ok)
			}
		})
	}
}

func TestPace(t *testing.T) {
	for name, tt := range map[string]struct {
		app, cases string
		want       time.Duration
	}{
		"nothing said":         {"", "", 0},
		"what cannot be read":  {"<html>", "[]", 0},
		"room":                 {`{"call_count":28,"total_time":25,"total_cputime":25}`, "", 0},
		"little room":          {`{"call_count":28,"total_time":91,"total_cputime":25}`, "", spacing},
		"no room":              {`{"call_count":100,"total_time":25,"total_cputime":25}`, "", defaultWait},
		"a use case with time": {"", `{"1":[{"type":"pages","call_count":10}],"2":[{"type":"instagram","call_count":101,"estimated_time_to_regain_access":12}]}`, 12 * time.Minute},
		"the worse of both":    {`{"call_count":95}`, `{"1":[{"call_count":3}]}`, spacing},
	} {
		t.Run(name, func(t *testing.T) {
			header := http.Header{"X-App-Usage": {tt.app}, "X-Business-Use-Case-Usage": {tt.cases}}
			if got := Pace(header); got != tt.want {
				t.Errorf("Pace = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTime(t *testing.T) {
	want := time.Date(2026, 9, 12, 23, 17, 39, 0, time.UTC)
	for _, text := range []string{`"2026-09-12T23:17:39+0000"`, `"2026-09-13T01:17:39+0200"`, `"2026-09-12T23:17:39Z"`} {
		var at Time
		if err := json.Unmarshal([]byte(text), &at); err != nil || !at.Equal(want) {
			t.Errorf("%s is %v, %v", text, at, err)
		}
	}
	var none Time
	if err := json.Unmarshal([]byte(`null`), &none); err != nil || !none.IsZero() {
		t.Errorf("null is %v, %v", none, err)
	}
	if json.Unmarshal([]byte(`"soon"`), &none) == nil {
		t.Error("a text was taken for a time")
	}
}
