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
	f.NoteUnread()
	if got := f.Report.Warnings[0].Message; got != "this field is not known and was ignored" {
		t.Errorf("warning = %q", got)
	}
	f.Require("content")
	e, ok := errors.AsType[*schema.Error](f.Report.Err())
	if !ok || len(e.Details) != 2 || e.Details[1].Message != "this field is not known" {
		t.Errorf("refusal = %+v", e)
	}
}

// What judges unknown fields looks at a form once, however many there are.
func TestAFormIsLookedAtOnce(t *testing.T) {
	f, err := ParseForm([]byte(`{"a": 1, "b": 2, "c": 3}`))
	if err != nil {
		t.Fatal(err)
	}
	looks, judged := 0, 0
	f.Judge = func(*Form) func(Member) string {
		looks++
		return func(Member) string { judged++; return "" }
	}
	if f.NoteUnread(); looks != 1 || judged != 3 {
		t.Errorf("%d looks at the form, %d fields are judged", looks, judged)
	}
}
