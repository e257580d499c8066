package listening

import (
	"slices"
	"strings"

	ahocorasick "github.com/petar-dambovaliev/aho-corasick"

	"crier/connectors"
	"crier/schema"
)

// largestText is how much of a post is looked at, in bytes: five times what any platform with a
// stream lets people write.
const largestText = 16 << 10

// Match is a post that a monitor asks for.
type Match struct {
	Monitor  *schema.Monitor
	Item     *connectors.FeedItem
	Keywords []string // those of the monitor that it has, as the monitor has them
}

// Matcher finds the monitors that ask for a post. It is of one goroutine at a time.
type Matcher struct {
	automaton ahocorasick.AhoCorasick
	uses      [][]use // by pattern
	monitors  []schema.Monitor
	folder    folder

	// Of the post in hand: what was met of it carries its number.
	post    uint64
	text    []byte   // folded
	met     []uint64 // by pattern
	touched []uint64 // by monitor
	barred  []uint64 // by monitor: an excluded keyword was met
	found   [][]string
	order   []int32
}

// use is a monitor's use of a pattern.
type use struct {
	monitor int32
	exclude bool
	keyword string
}

// NewMatcher makes the matcher of monitors, each of which has what it looks for.
func NewMatcher(monitors []schema.Monitor) *Matcher {
	m := &Matcher{
		monitors: monitors, folder: newFolder(),
		touched: make([]uint64, len(monitors)), barred: make([]uint64, len(monitors)), found: make([][]string, len(monitors)),
	}
	var patterns []string
	numbers := map[string]int{}
	add := func(keyword string, u use) {
		folded := string(m.folder.append(nil, keyword))
		if folded == "" {
			return
		}
		n, known := numbers[folded]
		if !known {
			n = len(patterns)
			numbers[folded] = n
			patterns, m.uses = append(patterns, folded), append(m.uses, nil)
		}
		u.keyword = keyword
		m.uses[n] = append(m.uses[n], u)
	}
	for i := range monitors {
		for _, keyword := range monitors[i].Include {
			add(keyword, use{monitor: int32(i)})
		}
		for _, keyword := range monitors[i].Exclude {
			add(keyword, use{monitor: int32(i), exclude: true})
		}
	}
	m.met = make([]uint64, len(patterns))
	if len(patterns) > 0 {
		builder := ahocorasick.NewAhoCorasickBuilder(ahocorasick.Opts{MatchKind: ahocorasick.StandardMatch})
		m.automaton = builder.Build(patterns)
	}
	return m
}

// Monitors returns how many there are.
func (m *Matcher) Monitors() int { return len(m.monitors) }

// Match adds the monitors that ask for a post to matches, in the order of the monitors' first
// keywords in it.
func (m *Matcher) Match(item *connectors.FeedItem, matches []Match) []Match {
	if len(m.uses) == 0 {
		return matches
	}
	m.post++
	m.order = m.order[:0]
	m.text = m.folder.append(m.text[:0], item.Text[:min(len(item.Text), largestText)])
	for found := m.automaton.IterOverlappingByte(m.text); ; {
		next := found.Next()
		if next == nil {
			break
		}
		pattern := next.Pattern()
		if m.met[pattern] == m.post || !atBoundary(m.text, next.Start()) || !atBoundary(m.text, next.End()) {
			continue
		}
		m.met[pattern] = m.post
		m.meet(pattern)
	}
	for _, i := range m.order {
		if m.barred[i] == m.post || !asksFor(&m.monitors[i], item) {
			continue
		}
		matches = append(matches, Match{Monitor: &m.monitors[i], Item: item, Keywords: slices.Clone(m.found[i])})
	}
	return matches
}

// meet notes a pattern of the post in hand at the monitors that use it.
func (m *Matcher) meet(pattern int) {
	for _, u := range m.uses[pattern] {
		switch {
		case u.exclude:
			m.barred[u.monitor] = m.post
		case m.touched[u.monitor] == m.post:
			m.found[u.monitor] = append(m.found[u.monitor], u.keyword)
		default:
			m.touched[u.monitor] = m.post
			m.found[u.monitor] = append(m.found[u.monitor][:0], u.keyword)
			m.order = append(m.order, u.monitor)
		}
	}
}

// asksFor reports whether a monitor is for the platform and the language of a post. A language
// is that of a post which names it, alone or with a region.
func asksFor(monitor *schema.Monitor, item *connectors.FeedItem) bool {
	if !slices.Contains(monitor.Platforms, item.Platform) {
		return false
	}
	if monitor.Language == "" {
		return true
	}
	return slices.ContainsFunc(item.Languages, func(tag string) bool {
		primary, _, _ := strings.Cut(tag, "-")
		return strings.EqualFold(primary, monitor.Language)
	})
}
