package console

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"

	"crier/client"
)

func TestAdviceNamesTheFlagThatMayBeWrong(t *testing.T) {
	closed := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for name, tt := range map[string]struct {
		err  error
		want string // in the advice; empty: there is none
	}{
		"a key that is none":          {&client.Error{Status: 401, Code: client.CodeUnauthorized}, "--key"},
		"a page of another server":    {&client.Error{Status: 404}, "--url"},
		"a post that is not there":    {&client.Error{Status: 404, Code: client.CodeNotFound}, ""},
		"a port where nobody listens": {&url.Error{URL: "http://127.0.0.1:9/api/v1/posts", Err: closed}, "crier serve"},
		"a PostgreSQL that is away":   {closed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := Advice(fmt.Errorf("trying: %w", tt.err))
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("the advice is %q, want %q in it", got, tt.want)
			}
		})
	}
}
