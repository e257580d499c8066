package connectors

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// memoSize bounds the answers that a Memo keeps, in bytes. A listing of a day is a few hundred kilobytes.
const memoSize = 16 << 20

// Memo keeps the answers of reads, so that looks for many posts of one account share its listing. Calls
// whose context has one are made once. The zero value is empty.
type Memo struct {
	mu      sync.Mutex
	answers map[string]memoized
	size    int
}

type memoized struct {
	response *Response
	at       time.Time
}

type memoKey struct{}

// WithMemo returns a context under which reads are answered from a memo, once they were made.
func WithMemo(ctx context.Context, m *Memo) context.Context {
	return context.WithValue(ctx, memoKey{}, m)
}

// memoOf returns the memo for a call; nil where there is none.
func memoOf(ctx context.Context, call Call) *Memo {
	m, _ := ctx.Value(memoKey{}).(*Memo)
	if call.Method != http.MethodGet || call.Visible {
		return nil
	}
	return m
}

func (c Call) memoName() string { return c.URL + "?" + c.Query.Encode() }

// answer returns what was kept for a call; nil where it was not made. Its date is that of now, since clocks
// are compared by it.
func (m *Memo) answer(call Call, now time.Time) *Response {
	m.mu.Lock()
	defer m.mu.Unlock()
	memoized, ok := m.answers[call.memoName()]
	if !ok {
		return nil
	}
	response := *memoized.response
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		response.Header = response.Header.Clone()
		response.Header.Set("Date", date.Add(now.Sub(memoized.at)).UTC().Format(http.TimeFormat))
	}
	return &response
}

// keep keeps an answer while there is room.
func (m *Memo) keep(call Call, response *Response, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size += len(response.Body); m.size > memoSize {
		return
	}
	if m.answers == nil {
		m.answers = map[string]memoized{}
	}
	m.answers[call.memoName()] = memoized{response, now}
}
