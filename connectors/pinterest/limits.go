package pinterest

import "crier/connectors"

// LimitOf is the LimitOf of the platform's connectors.ClientConfig: what writes is counted apart from
// what reads, and what the storage of videos is sent is not counted.
func LimitOf(call connectors.Call) string {
	switch {
	case call.Operation == opUpload:
		return opUpload
	case call.Kind == connectors.Post || call.Kind == connectors.Media:
		return "writes"
	default:
		return "reads"
	}
}

// Limits are those of an app with standard access (reference/rate-limits), of a person and
// minute: 100 calls that write and 1,000 that read. All boards of a person share them, which
// the headers tell; a little less of them is taken here, since calls bunch up on their way.
func Limits() connectors.Limits {
	writes := connectors.Rate{PerSecond: 1.5, Burst: 50}
	return connectors.Limits{
		connectors.Post:   {Account: writes},
		connectors.Media:  {Account: writes},
		connectors.Status: {Account: connectors.Rate{PerSecond: 15, Burst: 100}},
		connectors.Read:   {Account: connectors.Rate{PerSecond: 8, Burst: 50}},
	}
}
