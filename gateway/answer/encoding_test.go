package answer

import (
	"net/http"
	"testing"
)

// TestWhoGetsGzip has the cases of RFC 9110, 12.5.3.
func TestWhoGetsGzip(t *testing.T) {
	for name, tt := range map[string]struct {
		accepted []string
		want     bool
	}{
		"nothing said":                         {nil, false},
		"nothing but as it is":                 {[]string{""}, false},
		"gzip":                                 {[]string{"gzip"}, true},
		"among others":                         {[]string{"deflate, GZip, br"}, true},
		"by its old name":                      {[]string{"x-gzip"}, true},
		"in a second field":                    {[]string{"br", "gzip"}, true},
		"with a weight":                        {[]string{"br;q=1.0, gzip;q=0.8, *;q=0.1"}, true},
		"not acceptable":                       {[]string{"gzip;q=0"}, false},
		"not acceptable, in spaces":            {[]string{"br , gzip ; Q=0.000"}, false},
		"not acceptable, but anything else":    {[]string{"gzip;q=0, *"}, false},
		"anything":                             {[]string{"*"}, true},
		"nothing":                              {[]string{"*;q=0"}, false},
		"nothing else":                         {[]string{"*;q=0, gzip"}, true},
		"not as it is, and nothing said of it": {[]string{"identity;q=0"}, false},
		"anything but as it is":                {[]string{"identity;q=0, *;q=0.5"}, true},
		"not as it is":                         {[]string{"identity;q=0, gzip;q=0.1"}, true},
		"rather as it is":                      {[]string{"identity;q=1, gzip;q=0.5"}, false},
		"as it is alone":                       {[]string{"identity"}, false},
		"a weight that is none":                {[]string{"gzip;q=much"}, false},
		"a weight above 1":                     {[]string{"gzip;q=2"}, false},
		"a coding of a like name":              {[]string{"gzip2"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := PrefersGzip(http.Header{"Accept-Encoding": tt.accepted}); got != tt.want {
				t.Errorf("PrefersGzip(%q) = %t, want %t", tt.accepted, got, tt.want)
			}
		})
	}
}
