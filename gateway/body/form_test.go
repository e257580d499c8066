package body

import (
	"errors"
	"testing"

	"crier/schema"
)

func TestARefusedRequestIgnoredNothing(t *testing.T) {
	f, err := ParseForm([]byte(`{"contnet": "x"}`))
	if err != nil {
		t.Fatal(err)
	}
	f.Finish()
	if got := f.Report.Warnings[0].Message; got != "this field is not known and was ignored" {
		t.Errorf("warning = %q", got)
	}
	f.Require("content")
	e, ok := errors.AsType[*schema.Error](f.Report.Err())
	if !ok || len(e.Details) != 2 || e.Details[1].Message != "this field is not known" {
		t.Errorf("refusal = %+v", e)
	}
}
