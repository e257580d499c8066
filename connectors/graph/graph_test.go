package graph

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"crier/schema"
)

func TestClassify(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		header http.Header
		body   string
		kind   schema.ErrorKind // Internal: the default meaning
		end    schema.End
		wait   time.Duration
	}{
		"a page of a proxy":              {400, nil, `<html>`, schema.Internal, 0, 0},
		"JSON of another":                {400, nil, `{"error":"no"}`, schema.Internal, 0, 0},
		"a token that expired":           {400, nil, `{"error":{"message":"m","type":"OAuthException","code":190,"error_subcode":463}}`, schema.TokenDead, schema.NotEnded, 0},
		"a person who has to log in":     {400, nil, `{"error":{"message":"m","code":190,"error_subcode":459}}`, schema.TokenDead, schema.EndDeactivated, 0},
		"a session":                      {401, nil, `{"error":{"message":"m","code":102}}`, schema.TokenDead, schema.NotEnded, 0},
		"a permission":                   {403, nil, `{"error":{"message":"m","code":10}}`, schema.TokenDead, schema.EndScope, 0},
		"a permission by its number":     {403, nil, `{"error":{"message":"m","code":200}}`, schema.TokenDead, schema.EndScope, 0},
		"what follows the permissions":   {400, nil, `{"error":{"message":"m","code":300}}`, schema.Refused, 0, 0},
		"the app's limit":                {400, nil, `{"error":{"message":"m","code":4}}`, schema.RateLimited, 0, defaultWait},
		"a limit with its time":          {400, http.Header{"X-Business-Use-Case-Usage": {`{"1":[{"call_count":100,"estimated_time_to_regain_access":7}]}`}}, `{"error":{"message":"m","code":80002}}`, schema.RateLimited, 0, 7 * time.Minute},
		"a limit with a usual wait":      {429, http.Header{"Retry-After": {"3"}}, `{"error":{"message":"m","code":613}}`, schema.RateLimited, 0, 0},
		"a limit by the status":          {429, nil, `{"error":{"message":"m","code":5}}`, schema.RateLimited, 0, defaultWait},
		"the same post once more":        {400, nil, `{"error":{"message":"m","code":506}}`, schema.Duplicate, 0, 0},
		"an error that passes":           {400, nil, `{"error":{"message":"m","code":100,"is_transient":true}}`, schema.Unknown, 0, 0},
		"a service that is away":         {500, nil, `{"error":{"message":"m","code":2}}`, schema.Unknown, 0, 0},
		"a server error with a bad code": {500, nil, `{"error":{"message":"m","code":100}}`, schema.Unknown, 0, 0},
		"a parameter":                    {400, nil, `{"error":{"message":"m","code":100}}`, schema.Refused, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := Classify(tt.status, tt.header, []byte(tt.body))
			if tt.kind == schema.Internal {
				if e != nil {
					t.Fatalf("Classify = %+v, want the default", e)
				}
				return
			}
			if e == nil || e.Kind != tt.kind || e.End != tt.end || e.RetryAfter != tt.wait || e.Message != "m" {
				t.Fatalf("Classify = %+v, want kind %d, end %v, wait %v", e, tt.kind, tt.end, tt.wait)
			}
			if r, ok := errors.AsType[Error](e); !ok || r.Status != tt.status {
				t.Errorf("the cause is %v", e.Err)
			}
		})
	}
}

func TestClassifySaysWhatIsForPeople(t *testing.T) {
	e := Classify(400, nil, []byte(`{"error":{"message":"(#36003) bad","code":36003,"error_subcode":2207009,"error_user_msg":"The picture is too wide."}}`))
	if e.Message != "The picture is too wide." {
		t.Errorf("Message = %q", e.Message)
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
