package graph

import "crier/connectors"

// Limits are those of the Graph API: 200 calls an hour for each user of the app, of
// all users together (developers.facebook.com/docs/graph-api/overview/rate-limiting). An
// account that keeps to its own share keeps the app within them, burst and all.
func Limits() connectors.Limits {
	return connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 150. / 3600, Burst: 50}}}
}
