package listening

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"crier/connectors"
	blueskysim "crier/connectors/simulators/bluesky"
	"crier/listening/listeningtest"
	"crier/schema"
	"crier/schema/sleep/sleeptest"
)

func TestKeywords(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		keyword, text string
		want          bool
	}{
		"a word":                            {"coffee", "more coffee, please", true},
		"within another":                    {"tea", "steam and team", false},
		"at both ends":                      {"tea", "tea", true},
		"twice, the second alone":           {"tea", "teapot tea", true},
		"another case":                      {"Straße", "HAUPTSTRASSE STRASSE", true},
		"Greek with its final sigma":        {"ΟΔΟΣ", "η οδος εδώ", true},
		"Turkish dotless i is a letter":     {"ilk", "ılk", false},
		"composed and decomposed":           {"café", "le cafe\u0301!", true},
		"an accent is a letter of its own":  {"cafe", "le cafe\u0301!", false},
		"compatibility forms":               {"sale", "ＳＡＬＥ now", true},
		"a hashtag of the word":             {"crier", "we use #crier", true},
		"a keyword with its hash":           {"#crier", "we use crier", false},
		"the same, met":                     {"#crier", "we use #Crier.", true},
		"signs at the end":                  {"c++", "I write C++ daily", true},
		"a phrase over blanks":              {"ice  cream", "ice\n\tcream", true},
		"a phrase cut short":                {"ice cream", "ice creams", false},
		"an underscore joins":               {"snake", "snake_case", false},
		"an apostrophe does not":            {"anna", "Anna's", true},
		"Chinese has no blanks":             {"咖啡", "我喜欢喝咖啡和茶", true},
		"Japanese beside Latin":             {"crier", "私はcrierを使う", true},
		"Thai":                              {"กาแฟ", "ฉันชอบกาแฟมาก", true},
		"an emoji beside a word":            {"tea", "tea🍵", true},
		"an emoji":                          {"🍵🍵", "🍵🍵🍵", true},
		"hidden by a zero width space":      {"crier", "cri\u200Ber", true},
		"broken UTF-8 beside it":            {"tea", "\xff tea \xfe", true},
		"digits":                            {"42", "421 and 42", true},
		"an accent after the word is of it": {"tea", "tea\u0308 x", false},
		"behind what is looked at":          {"tea", strings.Repeat("x ", largestText) + "tea", false},
	} {
		t.Run(name, func(t *testing.T) {
			m := NewMatcher([]schema.Monitor{{Include: []string{tt.keyword}, Platforms: schema.MonitorPlatforms()}})
			got := m.Match(&connectors.FeedItem{Platform: schema.Bluesky, Text: tt.text}, nil)
			if (len(got) == 1) != tt.want {
				t.Errorf("%q in %q: %v, want %t", tt.keyword, tt.text, got, tt.want)
			}
		})
	}
}

func TestMonitors(t *testing.T) {
	t.Parallel()
	everywhere := []schema.Platform{schema.Bluesky, schema.Threads}
	monitors := []schema.Monitor{
		{Name: "two keywords", Include: []string{"Tea", "green tea", "GREEN TEA"}, Platforms: everywhere},
		{Name: "without milk", Include: []string{"tea"}, Exclude: []string{"milk"}, Platforms: everywhere},
		{Name: "German", Include: []string{"tea"}, Language: "de", Platforms: everywhere},
		{Name: "threads", Include: []string{"tea"}, Platforms: []schema.Platform{schema.Threads}},
		{Name: "nothing that can be met", Include: []string{"\u200B", ""}, Platforms: everywhere},
	}
	m := NewMatcher(monitors)
	for name, tt := range map[string]struct {
		item connectors.FeedItem
		want string
	}{
		"a word":               {connectors.FeedItem{Text: "tea"}, "two keywords [Tea], without milk [tea]"},
		"a phrase, three ways": {connectors.FeedItem{Text: "green tea"}, "two keywords [green tea GREEN TEA Tea], without milk [tea]"},
		"an excluded word":     {connectors.FeedItem{Text: "MILK with tea"}, "two keywords [Tea]"},
		"a language":           {connectors.FeedItem{Text: "tea", Languages: []string{"en", "DE-at"}}, "two keywords [Tea], without milk [tea], German [tea]"},
		"another platform": {connectors.FeedItem{Platform: schema.Threads, Text: "tea"},
			"two keywords [Tea], without milk [tea], threads [tea]"},
		"nothing": {connectors.FeedItem{Text: ""}, ""},
	} {
		if tt.item.Platform == 0 {
			tt.item.Platform = schema.Bluesky
		}
		var got []string
		for _, match := range m.Match(&tt.item, nil) {
			slices.SortFunc(match.Keywords, func(a, b string) int { return len(b) - len(a) })
			got = append(got, fmt.Sprint(match.Monitor.Name, " ", match.Keywords))
		}
		slices.SortFunc(got, func(a, b string) int { return strings.Index(tt.want, a) - strings.Index(tt.want, b) })
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// TestWordsAreFoldedAsTheirText compares what is folded word by word with a text that is folded
// as a whole.
func TestWordsAreFoldedAsTheirText(t *testing.T) {
	t.Parallel()
	f := newFolder()
	odd := []rune("aZ09_ß \t\nİıǅŉªµ¨¸½²ΣςﬁＡか゛ﾊﾟ각ᄀ\u0301\u0327\u0345\u00A0\u0085\u2028\u3000\u00AD\u200B\u200D\u1E9E\uFFFD🍵")
	random := rand.New(rand.NewPCG(1, 2))
	check := func(text string) {
		t.Helper()
		if got, want := string(f.append(nil, text)), f.whole(text); got != want {
			t.Fatalf("%+q is folded to %+q, as a whole to %+q", text, got, want)
		}
	}
	for r := range rune(0x3100) {
		check("a" + string(r) + "e " + string(r) + string(r) + "\u0301")
	}
	for range 20_000 {
		var text []byte
		for range random.IntN(12) {
			switch random.IntN(8) {
			case 0:
				text = append(text, byte(random.IntN(256)))
			case 1:
				text = utf8.AppendRune(text, rune(random.IntN(0x3100)))
			default:
				text = utf8.AppendRune(text, odd[random.IntN(len(odd))])
			}
		}
		check(string(text))
	}
}

// TestHostileTexts gives the matcher what people write who mean no good.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	var nested []string
	for n := schema.ShortestKeyword; n <= schema.LongestKeyword; n++ {
		nested = append(nested, strings.Repeat("a", n))
	}
	m := NewMatcher([]schema.Monitor{{Include: append(nested, "tea"), Platforms: schema.MonitorPlatforms()}})
	for name, text := range map[string]string{
		"keywords in keywords":   strings.Repeat("a", 1<<20),
		"marks without a letter": strings.Repeat("\u0301", 1<<20),
		"marks on one letter":    "a" + strings.Repeat("\u0327\u0301", 1<<20),
		"ligatures that grow":    strings.Repeat("\uFDFA", 1<<18),
		"broken UTF-8":           strings.Repeat("\xff\xc3", 1<<20),
		"cut in a letter":        strings.Repeat("é", 1<<20)[1:],
		"controls":               strings.Repeat("\x00\x1b[2J\u202e", 1<<16),
	} {
		ran := sleeptest.Stopwatch(t)
		if got := m.Match(&connectors.FeedItem{Platform: schema.Bluesky, Text: "tea " + text}, nil); len(got) != 1 || !slices.Contains(got[0].Keywords, "tea") {
			t.Errorf("%s hide the word before them: %v", name, got)
		}
		if took := ran(); took > 5*time.Second {
			t.Errorf("%s take %v", name, took)
		}
	}
}

// TestTheMatcherMissesNothing compares it with a plain one that looks a post's words up.
func TestTheMatcherMissesNothing(t *testing.T) {
	t.Parallel()
	words := listeningtest.Words(400)
	monitors := listeningtest.Monitors(300, words, 11)
	stream := blueskysim.NewStream(blueskysim.StreamConfig{Rate: 1000, Seed: 3, Words: words, Now: time.Now})
	m, reference := NewMatcher(monitors), listeningtest.NewReference(monitors)
	found := 0
	for n := range int64(2000) {
		e := stream.Entry(n)
		item := connectors.FeedItem{Platform: schema.Bluesky, Text: e.Text, Languages: e.Langs}
		got := map[string]bool{}
		for _, match := range m.Match(&item, nil) {
			got[match.Monitor.Name] = true
		}
		found += len(got)
		want := reference.Asking(e.Text, e.Langs)
		if len(got) != len(want) {
			t.Fatalf("%q: %d monitors, want %d", e.Text, len(got), len(want))
		}
		for _, i := range want {
			if !got[monitors[i].Name] {
				t.Fatalf("%q is missed by %+v", e.Text, monitors[i])
			}
		}
	}
	if found < 500 {
		t.Errorf("%d posts were found in all: too few to prove anything", found)
	}
}

func BenchmarkMatcher(b *testing.B) {
	words := listeningtest.Words(20_000)
	monitors := listeningtest.Monitors(5000, words, 11)
	stream := blueskysim.NewStream(blueskysim.StreamConfig{Rate: 1000, Seed: 3, Words: words, Now: time.Now})
	items := make([]connectors.FeedItem, 5000)
	for n := range items {
		e := stream.Entry(int64(n))
		items[n] = connectors.FeedItem{Platform: schema.Bluesky, Text: e.Text, Languages: e.Langs}
	}
	m := NewMatcher(monitors)
	b.ReportAllocs()
	var matches []Match
	found, n := 0, 0
	for b.Loop() {
		matches = m.Match(&items[n%len(items)], matches[:0])
		n++
		found += len(matches)
	}
	b.ReportMetric(float64(found)/float64(n), "matches/post")
}

func BenchmarkNewMatcher(b *testing.B) {
	monitors := listeningtest.Monitors(5000, listeningtest.Words(20_000), 11)
	b.ReportAllocs()
	for b.Loop() {
		NewMatcher(monitors)
	}
}

// BenchmarkFindsOfAPost is what a post costs the process that listens: it is matched, and what
// 5,000 monitors find of it is made ready to be stored.
func BenchmarkFindsOfAPost(b *testing.B) {
	words := listeningtest.Words(60_000)
	stream := blueskysim.NewStream(blueskysim.StreamConfig{Rate: 5000, Seed: 42, Words: words, Now: time.Now})
	items := make([]connectors.FeedItem, 5000)
	for n := range items {
		e := stream.Entry(int64(n))
		items[n] = connectors.FeedItem{Platform: schema.Bluesky, NativeID: e.RKey, Text: e.Text, Languages: e.Langs}
	}
	m := NewMatcher(listeningtest.Monitors(5000, words, 5))
	b.ReportAllocs()
	var matches []Match
	found, n := 0, 0
	for b.Loop() {
		matches = m.Match(&items[n%len(items)], matches[:0])
		for i := range matches {
			findOf(&matches[i])
		}
		n++
		found += len(matches)
	}
	b.ReportMetric(float64(found)/float64(n), "finds/post")
}
