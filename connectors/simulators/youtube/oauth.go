package youtube

import (
	"slices"
	"strings"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/oauth"
)

// refreshLife is of a refresh token that nobody uses (developers.google.com/identity/protocols/oauth2).
const refreshLife = 180 * 24 * time.Hour

// writeScopes are those of which each is enough for all that the simulator takes.
func writeScopes() []string {
	return []string{"https://www.googleapis.com/auth/youtube", "https://www.googleapis.com/auth/youtube.force-ssl"}
}

func newOAuth(w *simulation.World) *oauth.Flow {
	return oauth.NewGoogle(w, slices.Concat(writeScopes(), readScopes()), writeScopes()[1], refreshLife)
}

// checkToken refuses a token that Google does not take.
func (s *simulator) checkToken(token string) error {
	has := func(scope string) bool { return slices.Contains(writeScopes(), scope) }
	switch held, isTicket, state := s.oauth.Read(token); {
	case state != oauth.Alive:
		return badCredentials()
	case isTicket && !slices.ContainsFunc(strings.Fields(held.Scope), has):
		return badScope()
	default:
		return nil
	}
}
