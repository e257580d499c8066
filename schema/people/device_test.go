package people

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"
)

func TestUserCodesAreTypedInManyWays(t *testing.T) {
	code, err := NewUserCode(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	want, ok := HashUserCode(code)
	if !ok || len(code) != 9 || code[4] != '-' || strings.ContainsAny(code, "AEIOUY0123456789") {
		t.Fatalf("code = %q", code)
	}
	for _, typed := range []string{strings.ToLower(code), strings.ReplaceAll(code, "-", ""), strings.ReplaceAll(code, "-", " "), " " + code + " "} {
		if got, ok := HashUserCode(typed); !ok || got != want {
			t.Errorf("%q is another code", typed)
		}
	}
	for _, wrong := range []string{"", "BCDF-GHJ", "BCDF-GHJKL", "ACDF-GHJK", "BCDF_GHJK", "BCDF-GHJ\u212a", strings.Repeat("-", 1000)} {
		if _, ok := HashUserCode(wrong); ok {
			t.Errorf("%q is taken for a code", wrong)
		}
	}
}

// Bytes that would favour the first letters are not used.
func TestUserCodesHaveAllLettersAlike(t *testing.T) {
	code, err := NewUserCode(bytes.NewReader([]byte{240, 255, 0, 1, 2, 3, 19, 20, 39, 239}))
	if err != nil || code != "BCDF-ZBZZ" {
		t.Errorf("code = %q, %v", code, err)
	}
	if _, err := NewUserCode(bytes.NewReader(nil)); err == nil {
		t.Error("a code was made without randomness")
	}
}

func TestMembersGiveKeysNoMoreThanTheyMay(t *testing.T) {
	for role, want := range map[Role]int{Anyone: 0, Viewer: 1, Author: 1, Editor: 2, Admin: 2, Owner: 3} {
		if got := role.Grants(); int(got) != want {
			t.Errorf("%v gives %d, want %d", role, got, want)
		}
	}
}
