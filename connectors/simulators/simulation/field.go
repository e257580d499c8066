package simulation

import (
	"bytes"
	"encoding/json"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Field faults are what platforms' servers do that their documents do not tell of: an answer that is
// empty or larger, a 500 after the call worked, a list that is late. Each is forced by its marker in the
// text of a post, and most of them on any call by a Fault. A platform has those that its simulator asks for.
const (
	markEmpty   = "[crier:empty-answer]"    // it takes effect; the answer is a 2xx without a body
	markSmaller = "[crier:smaller-answer]"  // it takes effect; the answer is an empty object
	markLarger  = "[crier:larger-answer]"   // it takes effect; the answer has fields that no document has
	markAfter   = "[crier:error-after]"     // it takes effect; the answer is the platform's 500
	markLate    = "[crier:list-late]"       // lists show the post after LateList
	markHidden  = "[crier:list-hidden]"     // lists never show it
	markFresh   = "[crier:fresh-not-found]" // reads of it by its id are not found for LateList
	markPartial = "[crier:partial]"         // a call of several items takes all but the last of them, and fails
)

// LateList is how long a post is missing that is listed late, or that is not found while it is fresh.
const LateList = time.Minute

// Shape is the form of an answer to a call that took effect.
type Shape string

// The shapes.
const (
	Whole   Shape = ""        // as the platform documents it
	Empty   Shape = "empty"   // no body
	Smaller Shape = "smaller" // an empty object
	Larger  Shape = "larger"  // with fields that nobody knows
	Nulls   Shape = "nulls"   // each list is null
	Texts   Shape = "texts"   // each number is a text
)

func (s Shape) isKnown() bool {
	return slices.Contains([]Shape{Whole, Empty, Smaller, Larger, Nulls, Texts}, s)
}

// shapeOf returns the shape that the marker in a text forces on an answer.
func shapeOf(text string) Shape {
	switch {
	case strings.Contains(text, markEmpty):
		return Empty
	case strings.Contains(text, markSmaller):
		return Smaller
	case strings.Contains(text, markLarger):
		return Larger
	default:
		return Whole
	}
}

// reshape brings an answer that is held back into another shape. One that is no success stays.
func (a *answer) reshape(s Shape) {
	if s == Whole || a.status/100 != 2 {
		return
	}
	body := a.body.Bytes()
	a.header.Del("Content-Length")
	switch s {
	case Empty:
		body = nil
	case Smaller:
		body = []byte("{}")
	case Larger:
		body = larger(body)
	case Nulls, Texts:
		body = changed(body, s)
	}
	a.body = *bytes.NewBuffer(body)
}

// larger returns a JSON object with a field that no document has; anything else as it is.
func larger(body []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return body
	}
	fields["x_undocumented"] = json.RawMessage(`{"nested":[null,{"text":"` + strings.Repeat("x", 64<<10) + `"}]}`)
	enlarged, err := json.Marshal(fields)
	if err != nil {
		return body
	}
	return enlarged
}

// changed returns JSON with each list or number as the shape has it; anything else as it is.
func changed(body []byte, s Shape) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return body
	}
	encoded, err := json.Marshal(change(value, s))
	if err != nil {
		return body
	}
	return encoded
}

func change(value any, s Shape) any {
	switch v := value.(type) {
	case []any:
		if s == Nulls {
			return nil
		}
		for i := range v {
			v[i] = change(v[i], s)
		}
	case map[string]any:
		for name := range v {
			v[name] = change(v[name], s)
		}
	case json.Number:
		if s == Texts {
			return v.String()
		}
	}
	return value
}

// answerReshaped lets a call take effect and answers it in another shape.
func answerReshaped(rw http.ResponseWriter, s Shape, effect func(http.ResponseWriter)) {
	held := newAnswer()
	effect(held)
	held.reshape(s)
	held.writeTo(rw)
}

// failAfter lets a call take effect and answers as if the platform had failed. A call that was refused
// is answered so.
func failAfter(rw http.ResponseWriter, effect func(http.ResponseWriter), fail func(http.ResponseWriter)) {
	held := newAnswer()
	effect(held)
	if held.status/100 != 2 {
		held.writeTo(rw)
		return
	}
	fail(rw)
}

// Listed yields the posts of an account that a list shows now, the newest first.
func (w *World) Listed(account string) iter.Seq[Post] {
	now := w.Now()
	return func(yield func(Post) bool) {
		for p := range w.Newest(account) {
			if p.isListed(now) && !yield(p) {
				return
			}
		}
	}
}

// isListed reports whether lists show a post at a time.
func (p Post) isListed(now time.Time) bool {
	isLate := strings.Contains(p.Text, markLate) && now.Sub(p.CreatedAt) < LateList
	return !isLate && !strings.Contains(p.Text, markHidden)
}

// Readable returns a post of an account by its id, if a read of it finds it now.
func (w *World) Readable(account, id string) (Post, bool) {
	p, ok := w.Post(account, id)
	isFresh := strings.Contains(p.Text, markFresh) && w.Now().Sub(p.CreatedAt) < LateList
	return p, ok && !isFresh
}

// IsPartial reports whether a call of several items with this text takes some of them and fails.
func IsPartial(text string) bool { return strings.Contains(text, markPartial) }
