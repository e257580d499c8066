// Package cursor lets lists be read page after page by the place where the one before ended, so
// that what is added meanwhile shifts nothing.
package cursor

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"crier/gateway/answer"
	"crier/gateway/body"
)

// Vault seals texts for what associated names.
type Vault interface {
	SealText(associated, text string) ([]byte, error)
	OpenText(associated string, sealed []byte) (string, error)
}

// Cursors makes and reads the cursors of lists. A cursor is sealed for what its list is of and
// for the parameters of its request: nobody can make one, or use it anywhere else.
type Cursors struct{ Vault Vault }

// List is the part of a list that a request asks for: by a cursor, or by a number of the page.
type List struct {
	Limit  int
	Offset int // of the page; 0 where a cursor says where it begins

	vault  Vault
	sealed string // what its cursors are sealed for
	page   int
	at     json.RawMessage // position of the cursor; nil: there is none
}

// place is what a cursor holds.
type place struct {
	Page int             `json:"page"` // that begins there
	At   json.RawMessage `json:"at"`
}

const (
	parameter = "cursor"
	maxText   = 1024
)

// Read reads the part of a list that a request asks for, once all other parameters of the request
// are read. What it is of names the list and whose it is.
func (c Cursors) Read(q *body.Query, of string) *List {
	page := q.Page()
	l := &List{Limit: page.Limit, Offset: page.Offset(), vault: c.Vault, page: page.Number}
	text, ok := q.Word(parameter)
	l.sealed = "cursor of " + of + " " + q.Canonical(parameter, "page", "limit")
	if !ok {
		return l
	}
	if q.Has("page") {
		q.Report.Fail(parameter, body.CodeConflict, "must not stand beside page")
		return l
	}
	at, err := l.open(text)
	if err != nil {
		q.Report.Fail(parameter, body.CodeInvalidValue, "must be the nextCursor of the page before, of the same list with the same parameters")
		return l
	}
	l.page, l.at, l.Offset = at.Page, at.At, 0
	return l
}

func (l *List) open(text string) (at place, err error) {
	if len(text) > maxText {
		return at, fmt.Errorf("a cursor of %d bytes", len(text))
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return at, err
	}
	opened, err := l.vault.OpenText(l.sealed, sealed)
	if err != nil {
		return at, err
	}
	return at, json.Unmarshal([]byte(opened), &at)
}

// From reads the position where the page begins, and reports whether a cursor says one.
func (l *List) From(position any) bool {
	return l.at != nil && json.Unmarshal(l.at, position) == nil
}

// Paginate is where the page stands in a list of so many items. last is the position of its
// last item, nil where no other follows.
func (l *List) Paginate(total int, last any) (answer.Pagination, error) {
	p := answer.Paginate(l.page, l.Limit, total, last != nil)
	if last == nil {
		return p, nil
	}
	at, err := json.Marshal(last)
	if err != nil {
		return p, fmt.Errorf("encoding a cursor: %w", err)
	}
	text, err := json.Marshal(place{l.page + 1, at})
	if err != nil {
		return p, fmt.Errorf("encoding a cursor: %w", err)
	}
	sealed, err := l.vault.SealText(l.sealed, string(text))
	if err != nil {
		return p, fmt.Errorf("sealing a cursor: %w", err)
	}
	p.NextCursor = base64.RawURLEncoding.EncodeToString(sealed)
	return p, nil
}
