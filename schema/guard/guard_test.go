package guard_test

import (
	"errors"
	"strings"
	"testing"

	"crier/schema/guard"
)

func TestAPanicIsAnErrorThatSaysWhereItWas(t *testing.T) {
	err := guard.Do(fails)
	if panicked, ok := errors.AsType[*guard.PanicError](err); !ok || panicked.Fault != "a broken row" {
		t.Fatalf("Do = %v, want the panic", err)
	}
	if text := err.Error(); !strings.HasPrefix(text, "panic: a broken row\n") || !strings.Contains(text, "guard_test.fails") {
		t.Errorf("the error says %q, want the fault and its stack", text)
	}
}

func TestAnErrorIsLeftAsItIs(t *testing.T) {
	refused := errors.New("refused")
	for _, want := range []error{refused, nil} {
		if err := guard.Do(func() error { return want }); err != want { //nolint:errorlint // it must be the same
			t.Errorf("Do = %v, want %v", err, want)
		}
	}
}

func fails() error { panic("a broken row") }
