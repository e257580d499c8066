package youtube

import (
	"testing"

	"crier/connectors/simulators/connectortest"
)

func TestAnswers(t *testing.T) { connectortest.Meanings(t, answers()) }
