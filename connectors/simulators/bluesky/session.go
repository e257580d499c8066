package bluesky

import (
	"crypto/sha256"
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
)

var errLoginFailed = refusal{http.StatusUnauthorized, "AuthenticationRequired", "Invalid identifier or password"}

const longestPassword = 512

// identity is who a token speaks for.
type identity struct{ did, handle string }

// didOf returns the DID of a handle: made from it, so that every run knows it again.
func didOf(handle string) string {
	sum := sha256.Sum256([]byte(handle))
	return "did:plc:" + lowerBase32.EncodeToString(sum[:15])
}

// identify returns who logs in by an identifier.
func (s *simulator) identify(identifier string) (identity, bool) {
	identifier = strings.ToLower(strings.TrimPrefix(identifier, "@"))
	switch {
	case isHandle(identifier):
		return identity{didOf(identifier), identifier}, true
	case strings.HasPrefix(identifier, "did:"):
		return identity{identifier, s.world.Account(identifier).Handle + ".bsky.social"}, true
	case strings.Contains(identifier, "@"):
		handle := s.world.Account(identifier).Handle + ".bsky.social"
		return identity{didOf(handle), handle}, true
	}
	return identity{}, false
}

func (s *simulator) createSession(rw http.ResponseWriter, r *http.Request) (any, error) {
	var input struct{ Identifier, Password string }
	if err := readInput(r, &input); err != nil {
		return nil, err
	}
	if err := s.logins.take(rw.Header(), strings.ToLower(input.Identifier), 1); err != nil {
		return nil, err
	}
	who, ok := s.identify(input.Identifier)
	if !ok || input.Password == "" || len(input.Password) > longestPassword {
		return nil, errLoginFailed
	}
	if refused, ok := endedLogin(s.world.EndOf(who.did)); ok {
		return nil, refused
	}
	return s.session(who, s.tokens.pair(who)), nil
}

func (s *simulator) refreshSession(_ http.ResponseWriter, r *http.Request) (any, error) {
	claims, err := s.tokens.verify(r, refreshScope)
	if err != nil {
		return nil, err
	}
	pair, err := s.tokens.rotate(claims)
	if err != nil {
		return nil, err
	}
	return s.session(claims.identity(), pair), nil
}

func (s *simulator) getSession(_ http.ResponseWriter, r *http.Request) (any, error) {
	claims, err := s.tokens.verify(r, accessScope)
	if err != nil {
		return nil, err
	}
	return s.session(claims.identity(), tokenPair{}), nil
}

// session is the output of the three methods above.
func (s *simulator) session(who identity, pair tokenPair) any {
	isActive, status := s.world.EndOf(who.did) != simulation.Deactivated, ""
	if !isActive {
		status = string(simulation.Deactivated)
	}
	return struct {
		tokenPair
		Handle         string `json:"handle"`
		DID            string `json:"did"`
		DIDDoc         any    `json:"didDoc"`
		EmailConfirmed bool   `json:"emailConfirmed"`
		Active         bool   `json:"active"`
		Status         string `json:"status,omitempty"`
	}{pair, who.handle, who.did, s.didDoc(who), true, isActive, status}
}

func (s *simulator) didDoc(who identity) any {
	return map[string]any{
		"id":          who.did,
		"alsoKnownAs": []string{"at://" + who.handle},
		"service": []map[string]string{{
			"id": "#atproto_pds", "type": "AtprotoPersonalDataServer", "serviceEndpoint": s.world.BaseURL(),
		}},
	}
}

// longestServiceToken is how far ahead a token for one method may expire.
const longestServiceToken = time.Hour

func (s *simulator) getServiceAuth(_ http.ResponseWriter, r *http.Request) (any, error) {
	claims, err := s.tokens.verify(r, accessScope)
	if err != nil {
		return nil, err
	}
	query := r.URL.Query()
	if !strings.HasPrefix(query.Get("aud"), "did:") {
		return nil, invalid("InvalidRequest", "aud must be a DID")
	}
	expires := s.world.Now().Add(time.Minute)
	if exp := query.Get("exp"); exp != "" {
		seconds, err := strconv.ParseInt(exp, 10, 64)
		if err != nil {
			return nil, invalid("InvalidRequest", "exp must be an integer")
		}
		expires = time.Unix(seconds, 0)
	}
	if ahead := expires.Sub(s.world.Now()); ahead < 0 || ahead > longestServiceToken {
		return nil, invalid("BadExpiration", "exp must be within the next hour")
	}
	return map[string]string{"token": s.tokens.service(claims.identity(), query.Get("aud"), query.Get("lxm"), expires)}, nil
}

func (s *simulator) describeServer(http.ResponseWriter, *http.Request) (any, error) {
	return map[string]any{
		"did":                  serviceDID(s.world.BaseURL()),
		"availableUserDomains": []string{".bsky.social"},
		"inviteCodeRequired":   false,
		"blobUploadLimit":      maxBlobBytes,
	}, nil
}

// resolveHandle knows every handle, but those under the domain that is reserved for
// names that do not exist (RFC 2606).
func (s *simulator) resolveHandle(_ http.ResponseWriter, r *http.Request) (any, error) {
	handle := strings.ToLower(r.URL.Query().Get("handle"))
	if !isHandle(handle) || strings.HasSuffix(handle, ".invalid") {
		return nil, invalid("InvalidRequest", "Unable to resolve handle")
	}
	return map[string]string{"did": didOf(handle)}, nil
}
