package simulation

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Remark is something that a person of the world has written: under a post of an account, or
// elsewhere, naming the account.
type Remark struct {
	ID      string // decimal, unique within the account
	Account string // whose post it is under, or who is named, as posts have it
	Under   string // id of the post; empty: it is elsewhere
	Answers string // id of what it answers, of a post or of something said; empty: the post itself
	By      Person
	Text    string
	At      time.Time
}

// Person is somebody on the platform who is nobody's account here.
type Person struct {
	ID     string // decimal
	Handle string
	Name   string
}

// people is what was said besides what follows from the seed, and what was taken back. It does
// not outlive the process.
type people struct {
	mu      sync.RWMutex
	remarks map[string][]Remark // by account
	unsaid  map[name]struct{}
	quiet   bool
}

func (p *people) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remarks, p.unsaid = nil, nil
}

// Quiet has nobody say anything by themselves, for tests that count.
func (w *World) Quiet() {
	w.people.mu.Lock()
	defer w.people.mu.Unlock()
	w.people.quiet = true
}

// Say has a person write something: an empty ID becomes NewID's, a zero At the present, a
// person without an ID is made from the text.
func (w *World) Say(s Remark) Remark {
	if s.ID == "" {
		s.ID = strconv.FormatInt(w.NewID(), 10)
	}
	if s.At.IsZero() {
		s.At = w.Now()
	}
	if s.By.ID == "" {
		s.By = personOf(s.Text)
	}
	w.people.mu.Lock()
	defer w.people.mu.Unlock()
	if w.people.remarks == nil {
		w.people.remarks = map[string][]Remark{}
	}
	w.people.remarks[s.Account] = append(w.people.remarks[s.Account], s)
	return s
}

// Unsay has a person take back what they wrote.
func (w *World) Unsay(account, id string) {
	w.people.mu.Lock()
	defer w.people.mu.Unlock()
	if w.people.unsaid == nil {
		w.people.unsaid = map[name]struct{}{}
	}
	w.people.unsaid[name{account, id}] = struct{}{}
}

// RemarksUnder returns what people have written under a post by now, the oldest first.
func (w *World) RemarksUnder(p Post) []Remark {
	return w.heard(p.Account, append(w.answersTo(p), w.remarksBy(p.Account)...), func(s Remark) bool { return s.Under == p.ID })
}

// Mentions returns what people have written by now that names an account, the newest first.
func (w *World) Mentions(account string) []Remark {
	all := w.remarksBy(account)
	for p := range w.Newest(account) {
		all = append(all, w.answersTo(p)...)
	}
	found := w.heard(account, all, func(s Remark) bool { return s.Under == "" })
	slices.Reverse(found)
	return found
}

// Remark returns what a person wrote to an account, by its id.
func (w *World) Remark(account, id string) (Remark, bool) {
	all := w.remarksBy(account)
	for p := range w.Newest(account) {
		all = append(all, w.answersTo(p)...)
	}
	found := w.heard(account, all, func(s Remark) bool { return s.ID == id })
	if len(found) == 0 {
		return Remark{}, false
	}
	return found[0], true
}

func (w *World) remarksBy(account string) []Remark {
	w.people.mu.RLock()
	defer w.people.mu.RUnlock()
	return slices.Clone(w.people.remarks[account])
}

// heard returns what there is of all by now, the oldest first.
func (w *World) heard(account string, all []Remark, is func(Remark) bool) []Remark {
	now := w.Now()
	w.people.mu.RLock()
	defer w.people.mu.RUnlock()
	all = slices.DeleteFunc(all, func(s Remark) bool {
		_, unsaid := w.people.unsaid[name{account, s.ID}]
		return unsaid || s.At.After(now) || !is(s)
	})
	slices.SortStableFunc(all, func(a, b Remark) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return all
}

var phrases = [...]string{
	"Where can I get this?", "Love it!", "Does it come in green as well?", "I had that too, and it helped.", "When is the next one?",
	"Thank you for this!", "I do not agree at all.", "Great news & about time", "<3", "Can you ship to Iceland? 🇮🇸",
}

// answersTo returns what people write because of a post, now and later, by themselves: it
// follows from the platform, the account and the post alone. Some answer it, one answers the
// first of them, and of every third post somebody speaks elsewhere. Nobody answers answers.
func (w *World) answersTo(p Post) []Remark {
	w.people.mu.RLock()
	quiet := w.people.quiet
	w.people.mu.RUnlock()
	if quiet || p.ReplyTo != "" {
		return nil
	}
	seed := sha256.Sum256([]byte(w.platform.String() + "\x00" + p.Account + "\x00" + p.ID))
	var all []Remark
	say := func(k int, after time.Duration) *Remark {
		sum := sha256.Sum256(append(seed[:], byte(k)))
		at := p.CreatedAt.Add(after).Truncate(time.Millisecond)
		all = append(all, Remark{
			ID: strconv.FormatInt(at.UnixMicro()+int64(binary.BigEndian.Uint16(sum[:2])%1000), 10), Account: p.Account, Under: p.ID,
			By: personOf(string(sum[2:10])), Text: phrases[int(sum[10])%len(phrases)], At: at,
		})
		return &all[len(all)-1]
	}
	for k := range 1 + int(seed[0])%3 {
		say(k, time.Duration(20+40*k*k+int(seed[1])%20)*time.Second)
	}
	first := all[0].ID
	say(10, 4*time.Minute).Answers = first
	if seed[2]%3 == 0 {
		mention := say(11, 90*time.Second)
		mention.Under, mention.Text = "", "Have you seen what they say there? "+mention.Text
	}
	return all
}

// personOf returns who a text is by: the same for the same text.
func personOf(text string) Person {
	sum := sha256.Sum256([]byte("person\x00" + text))
	n := binary.BigEndian.Uint64(sum[:8])
	first := [...]string{"Ada", "Björk", "Chidi", "Dolores", "Emre", "Fatima", "Grace", "Hiro"}[n%8]
	return Person{ID: strconv.FormatUint(n>>11, 10), Handle: fmt.Sprintf("person%d", n%100000), Name: first}
}
