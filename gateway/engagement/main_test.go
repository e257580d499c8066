package engagement_test

import (
	"testing"

	"crier/compose/embedded/embeddedtest"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }
