package threads

import (
	"testing"

	"crier/connectors/simulators/graphtest"
)

func TestTokens(t *testing.T) { graphtest.RunTokens(t, subject) }

func subject(t *testing.T) graphtest.Subject {
	r := newRig(t)
	return graphtest.Subject{
		Rig: r.Rig, Gallery: r.Gallery, Connector: r.Connector, Tokens: &r.tokens, Token: token, Delivery: r.delivery,
	}
}
