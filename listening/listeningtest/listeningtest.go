// Package listeningtest makes monitors, and tells plainly which of them ask for a post.
package listeningtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"crier/schema"
)

// Reference tells which monitors ask for a post by looking its words, and its phrases of two, up.
type Reference struct {
	monitors []schema.Monitor
	include  map[string][]int // by keyword, without case
}

// NewReference makes the reference of monitors whose keywords are words or phrases of two.
func NewReference(monitors []schema.Monitor) *Reference {
	r := &Reference{monitors, map[string][]int{}}
	for i, m := range monitors {
		for _, keyword := range m.Include {
			keyword = strings.ToLower(keyword)
			r.include[keyword] = append(r.include[keyword], i)
		}
	}
	return r
}

// Asking returns the monitors that ask for a post, each once.
func (r *Reference) Asking(text string, langs []string) (asking []int) {
	has := partsOf(text)
	for part := range has {
		for _, i := range r.include[part] {
			m := &r.monitors[i]
			barred := slices.ContainsFunc(m.Exclude, func(keyword string) bool { return has[strings.ToLower(keyword)] })
			foreign := m.Language != "" && !slices.ContainsFunc(langs, func(l string) bool { return l[:2] == m.Language })
			if !barred && !foreign && !slices.Contains(asking, i) {
				asking = append(asking, i)
			}
		}
	}
	return asking
}

// partsOf are the words of a text, and its phrases of two with nothing but blanks between them.
func partsOf(text string) map[string]bool {
	sign := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	has := map[string]bool{}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), sign) {
		has[word] = true
	}
	words := strings.Fields(strings.ToLower(text))
	for i := 1; i < len(words); i++ {
		has[strings.TrimLeftFunc(words[i-1], sign)+" "+strings.TrimRightFunc(words[i], sign)] = true
	}
	return has
}

// Words are as many made-up words, of which some are parts of others.
func Words(n int) []string {
	syllables := []string{"ba", "ko", "ri", "tu", "me", "sa", "no", "pe", "li", "ga", "vo", "du", "shi", "cra", "é", "ö"}
	random := rand.New(rand.NewPCG(5, 5))
	seen := map[string]bool{}
	var words []string
	for len(words) < n {
		word := ""
		for range 2 + random.IntN(4) {
			word += syllables[random.IntN(len(syllables))]
		}
		if !seen[word] {
			seen[word] = true
			words = append(words, word)
		}
	}
	return words
}

// Monitors makes monitors of words, the rarer ones more often.
func Monitors(n int, words []string, seed uint64) []schema.Monitor {
	random := rand.New(rand.NewPCG(seed, seed))
	word := func() string {
		w := words[len(words)/4+random.IntN(len(words)*3/4)]
		if random.IntN(4) != 0 {
			w += " " + words[random.IntN(len(words))]
		}
		if random.IntN(4) == 0 {
			w = strings.ToUpper(w)
		}
		return w
	}
	monitors := make([]schema.Monitor, n)
	for i := range monitors {
		m := schema.Monitor{Name: fmt.Sprint("monitor ", i), Platforms: schema.MonitorPlatforms()}
		for range 1 + random.IntN(3) {
			m.Include = append(m.Include, word())
		}
		if random.IntN(3) == 0 {
			m.Exclude = append(m.Exclude, words[random.IntN(10)])
		}
		if random.IntN(5) == 0 {
			m.Language = []string{"en", "de", "pt"}[random.IntN(3)]
		}
		monitors[i] = m
	}
	return monitors
}
