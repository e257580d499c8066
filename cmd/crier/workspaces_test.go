package main

import (
	"bytes"
	"testing"

	"crier/schema"
)

func TestWorkspacesAreListedWithBothFormsOfTheirIDs(t *testing.T) {
	var acme schema.Workspace
	if err := acme.ID.UnmarshalText([]byte("ws_01k9sr3q5wf2g8m7r4t0v1x2y3")); err != nil {
		t.Fatal(err)
	}
	acme.Name, acme.Plan = "acme", "team"
	for asJSON, want := range map[bool]string{
		false: "NAME  ID                             UUID                                  PLAN  LIMITS\n" +
			"acme  ws_01k9sr3q5wf2g8m7r4t0v1x2y3  019a7381-dcbc-78a0-8a1f-04d0361e8bc3  team  specification\n",
		true: `{"name":"acme","id":"ws_01k9sr3q5wf2g8m7r4t0v1x2y3","uuid":"019a7381-dcbc-78a0-8a1f-04d0361e8bc3","plan":"team","limits":"specification"}` + "\n",
	} {
		var written bytes.Buffer
		if err := writeWorkspaces(&written, []schema.Workspace{acme}, asJSON); err != nil || written.String() != want {
			t.Errorf("written is\n%s%v; want\n%s", &written, err, want)
		}
	}
}
