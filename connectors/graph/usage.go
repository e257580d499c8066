package graph

import (
	"encoding/json"
	"net/http"
	"time"

	"crier/connectors"
)

// Limits are those of the Graph API: 200 calls an hour for each user of the app, of
// all users together (developers.facebook.com/docs/graph-api/overview/rate-limiting). An
// account that keeps to its own share keeps the app within them, burst and all.
func Limits() connectors.Limits {
	return connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 150. / 3600, Burst: 50}}}
}

// usage is what the usage headers of an answer say: how much of a limit of the last hour is
// used, and how long calls fail that come now
// (developers.facebook.com/docs/graph-api/overview/rate-limiting).
type usage struct {
	percent float64 // of the limit that is used most
	regain  time.Duration
}

// metered is one limit: of the app, or of a use case.
type metered struct {
	CallCount    float64 `json:"call_count"`
	TotalCPUTime float64 `json:"total_cputime"`
	TotalTime    float64 `json:"total_time"`
	Regain       float64 `json:"estimated_time_to_regain_access"` // minutes
}

func (u *usage) add(m metered) {
	u.percent = max(u.percent, m.CallCount, m.TotalCPUTime, m.TotalTime)
	u.regain = max(u.regain, time.Duration(m.Regain*float64(time.Minute)))
}

// usageOf reads the headers. What cannot be read says nothing.
func usageOf(header http.Header) (u usage) {
	var app metered
	if json.Unmarshal([]byte(header.Get("X-App-Usage")), &app) == nil {
		u.add(app)
	}
	var cases map[string][]metered // by the id of a page, a business or a person
	if json.Unmarshal([]byte(header.Get("X-Business-Use-Case-Usage")), &cases) == nil {
		for _, limits := range cases {
			for _, limit := range limits {
				u.add(limit)
			}
		}
	}
	return u
}

// nearlyUsed is from where on calls are spaced, in percent: beyond 100 every call fails.
const nearlyUsed = 90

// spacing is how far apart calls are while a limit is nearly used.
const spacing = time.Minute

// Pace is the Pace of a connectors.ClientConfig: how long the account is left alone after an
// answer. Only its own calls are throttled; where the limit is the app's, every account learns of
// it by a call of its own.
func Pace(header http.Header) time.Duration {
	switch u := usageOf(header); {
	case u.regain > 0:
		return u.regain
	case u.percent >= 100:
		return defaultWait
	case u.percent >= nearlyUsed:
		return spacing
	default:
		return 0
	}
}
