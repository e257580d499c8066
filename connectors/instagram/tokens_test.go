package instagram

import (
	"testing"

	"crier/connectors/simulators/graphtest"
)

func TestTokens(t *testing.T) { graphtest.RunTokens(t, subject) }
