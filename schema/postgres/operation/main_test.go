package operation_test

import (
	"testing"

	"crier/compose/embedded/embeddedtest"
	"crier/schema/postgres/postgrestest"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// fixture is the shared one, with what the tests of this package do often.
type fixture struct{ *postgrestest.Fixture }

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return &fixture{postgrestest.New(t)}
}
