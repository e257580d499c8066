package answer

import (
	"testing"

	"crier/schema"
)

func TestEveryKindOfErrorHasACodeOfItsOwn(t *testing.T) {
	kinds := make(map[string]schema.ErrorKind)
	for kind := schema.Internal; kind <= schema.Unavailable; kind++ {
		problem := Problems[kind]
		if other, taken := kinds[problem.Code]; taken || problem.Code == "" {
			t.Errorf("kind %d has the code %q, as %d has", kind, problem.Code, other)
		}
		kinds[problem.Code] = kind
		if problem.Status < 400 || problem.Meaning == "" || problem.Remedy == "" || problem.Retry == "" {
			t.Errorf("%s lacks something: %+v", problem.Code, problem)
		}
	}
	if got := problemOf(schema.TokenDead).Code; got != "internal_error" {
		t.Errorf("what a platform's answer meant is shown as %s", got)
	}
}
