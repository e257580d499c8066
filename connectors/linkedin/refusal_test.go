package linkedin

import (
	"cmp"
	"errors"
	"net/http"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/schema"
)

func TestWhatRefusalsMean(t *testing.T) {
	at := http.Header{"Date": {"Wed, 04 Mar 2026 22:30:00 GMT"}}
	for name, tt := range map[string]struct {
		status int
		header http.Header
		body   string
		kind   connectors.Meaning // 0: the default meaning
		wait   time.Duration
	}{
		"a proxy's page":         {403, at, `<html>`, 0, 0},
		"another's JSON":         {403, at, `{"error": "no"}`, 0, 0},
		"a dead token":           {401, at, `{"message": "Invalid access token", "status": 401, "serviceErrorCode": 65600}`, 0, 0},
		"no permission":          {403, at, `{"message": "Not enough permissions to access: posts.CREATE", "status": 403, "serviceErrorCode": 100}`, connectors.EndsAccount, 0},
		"no permission, by code": {403, at, `{"message": "m", "status": 403, "code": "ACCESS_DENIED"}`, connectors.ChecksAccount, 0},
		"another 403":            {403, at, `{"message": "Member is restricted", "status": 403}`, 0, 0},
		"one bad field":          {403, at, `{"message": "Unpermitted fields present in REQUEST_BODY: /x", "status": 403, "code": "ACCESS_DENIED"}`, connectors.IsRefused, 0},
		"a duplicate":            {422, at, `{"message": "Content is a duplicate of urn:li:share:7", "status": 422}`, connectors.IsDuplicate, 0},
		"a duplicate, by code":   {422, at, `{"message": "m", "status": 422, "errorDetails": {"inputErrors": [{"description": "Duplicate post is detected", "input": {}, "code": "DUPLICATE_POST"}]}}`, connectors.IsDuplicate, 0},
		"media that is not up":   {400, at, `{"message": "m", "status": 400, "errorDetails": {"inputErrors": [{"code": "MEDIA_ASSET_WAITING_UPLOAD"}]}}`, connectors.IsRetried, mediaWait},
		"media that failed":      {400, at, `{"message": "m", "status": 400, "errorDetails": {"inputErrors": [{"code": "MEDIA_ASSET_PROCESSING_FAILED"}]}}`, 0, 0},
		"a text too long":        {400, at, `{"message": "FIELD_LENGTH_TOO_LONG", "status": 400}`, 0, 0},
		"the day is spent":       {429, at, `{"message": "Resource level throttle APPLICATION DAY limit for calls to this resource is reached.", "status": 429}`, connectors.IsAwaited, 90 * time.Minute},
		"a day of no date":       {429, nil, `{"message": "throttle APPLICATION DAY limit", "status": 429}`, connectors.IsAwaited, time.Minute},
		"a minute is spent":      {429, at, `{"message": "throttle MEMBER MINUTE limit", "status": 429}`, connectors.IsAwaited, time.Minute},
		"a wait that is named":   {429, http.Header{"Retry-After": {"3"}}, `{"message": "throttle APPLICATION DAY limit", "status": 429}`, connectors.IsAwaited, minuteWait}, // the client reads the header
		"a version that ended":   {426, at, `{"message": "Requested version 20251001 is not active", "status": 426, "code": "NONEXISTENT_VERSION"}`, connectors.IsAwaited, versionWait},
		"the same, as another":   {400, at, `{"message": "Requested version 20251001 is not active", "status": 400, "code": "NONEXISTENT_VERSION"}`, connectors.IsAwaited, versionWait},
		"the same, without JSON": {426, nil, ``, connectors.IsAwaited, versionWait},
	} {
		t.Run(name, func(t *testing.T) {
			row, refusal, _ := answers().Match(connectors.Call{Operation: opCreatePost}, &connectors.Response{Status: tt.status, Header: tt.header, Body: []byte(tt.body)})
			if wait := cmp.Or(refusal.Wait, row.Wait); row.Means != tt.kind || tt.kind != 0 && wait != tt.wait {
				t.Fatalf("it means %v, wait %v; want %v, %v", row.Means, wait, tt.kind, tt.wait)
			}
		})
	}
}

// A month of the API that has ended costs no post its try; with another the posts go on.
func TestAVersionThatHasEnded(t *testing.T) {
	r := newRig(t)
	r.restart(t, connectors.Parts{Version: "202511"})
	d := r.delivery("look")
	_, err := r.Publish(t.Context(), d)
	if e := connectortest.WantKind(t, err, schema.RateLimited); e.RetryAfter != versionWait || !errors.Is(err, connectors.ErrOutdated) {
		t.Errorf("error %+v", e)
	}
	_, err = r.Check(t.Context(), d.Account, d.Credentials)
	connectortest.WantKind(t, err, schema.RateLimited)
	r.restart(t, connectors.Parts{Version: "202609"})
	if _, err := r.Publish(t.Context(), d); err != nil || len(r.World.Posts()) != 1 {
		t.Errorf("Publish: %v; %d posts", err, len(r.World.Posts()))
	}
}

// Every call of the API names its version, and those of uploads name none.
func TestEveryCallNamesItsVersion(t *testing.T) {
	r := newRig(t)
	d := r.delivery("look", picture)
	if _, err := r.Check(t.Context(), d.Account, d.Credentials); err != nil {
		t.Fatal(err)
	}
	r.publish(t, d)
	if len(r.Requests()) < 5 {
		t.Fatalf("%d calls", len(r.Requests()))
	}
	for _, request := range r.Requests() {
		isUpload := request.Method == http.MethodPut
		if named := request.Header.Get("LinkedIn-Version") == DefaultVersion && request.Header.Get("X-Restli-Protocol-Version") == "2.0.0"; named == isUpload {
			t.Errorf("%s %s: header %v", request.Method, request.URL, request.Header)
		}
	}
}
