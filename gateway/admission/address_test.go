package admission

import (
	"net/http"
	"net/netip"
	"testing"
)

func TestTheSenderIsWhomTrustedProxiesName(t *testing.T) {
	trusting := addresses{[]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}
	for name, tt := range map[string]struct {
		addresses addresses
		peer      string
		forwarded []string
		want      string
	}{
		"nobody is trusted":              {addresses{}, "10.0.0.1:5", []string{"203.0.113.7"}, "10.0.0.1/32"},
		"a stranger names another":       {trusting, "198.51.100.1:5", []string{"203.0.113.7"}, "198.51.100.1/32"},
		"a proxy names its client":       {trusting, "10.0.0.1:5", []string{"203.0.113.7"}, "203.0.113.7/32"},
		"a client makes one up":          {trusting, "10.0.0.1:5", []string{"1.1.1.1, 203.0.113.7"}, "203.0.113.7/32"},
		"two proxies":                    {trusting, "10.0.0.1:5", []string{"203.0.113.7, 10.0.0.2"}, "203.0.113.7/32"},
		"several headers":                {trusting, "10.0.0.1:5", []string{"1.1.1.1", "203.0.113.7", "10.0.0.2"}, "203.0.113.7/32"},
		"with a port":                    {trusting, "10.0.0.1:5", []string{"203.0.113.7:4711"}, "203.0.113.7/32"},
		"IPv6 by its /64":                {trusting, "[fd00::1]:5", []string{"2001:db8:1:2:3::4"}, "2001:db8:1:2::/64"},
		"IPv6 with a port":               {trusting, "[fd00::1]:5", []string{"[2001:db8:1:2::4]:80"}, "2001:db8:1:2::/64"},
		"IPv4 as IPv6":                   {trusting, "[::ffff:10.0.0.1]:5", []string{"::ffff:203.0.113.7"}, "203.0.113.7/32"},
		"no header":                      {trusting, "10.0.0.1:5", nil, "10.0.0.1/32"},
		"nonsense":                       {trusting, "10.0.0.1:5", []string{"203.0.113.7, unknown"}, "10.0.0.1/32"},
		"nothing but proxies":            {trusting, "10.0.0.1:5", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3/32"},
		"a connection without addresses": {trusting, "@", []string{"203.0.113.7"}, "invalid Prefix"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{"X-Forwarded-For": tt.forwarded}}
			if got := tt.addresses.of(r).String(); got != tt.want {
				t.Errorf("of = %s, want %s", got, tt.want)
			}
		})
	}
}
