package textsearch_test

import (
	"encoding/json"
	"strings"
	"testing"

	"crier/schema/textsearch"
)

func TestMatches(t *testing.T) {
	for name, tt := range map[string]struct {
		query, text string
		want        bool
	}{
		"a word":                           {"harbour", "Dawn at the harbour.", true},
		"whatever its case":                {"HARBOUR", "The Harbour at dawn", true},
		"the beginning of one":             {"launch", "We are launching", true},
		"not its middle":                   {"art", "the party is over", false},
		"its middle, then a word":          {"art", "the party of art", true},
		"all of them":                      {"dawn harbour", "The harbour at dawn", true},
		"not some of them":                 {"dawn forest", "The harbour at dawn", false},
		"an accent that is left out":       {"cafe", "Le Café du port", true},
		"an accent that the text lacks":    {"café", "le cafe du port", true},
		"an accent in two characters":      {"café", "cafe\u0301", true},
		"umlauts":                          {"uber", "Über uns", true},
		"sharp s":                          {"strasse", "Die STRAẞE, die Straße", true},
		"Polish":                           {"lodz", "Łódź", true},
		"Vietnamese":                       {"pho bo", "Phở bò", true},
		"Greek, the end of a word":         {"ΛΟΓΟΣ", "ο λόγος", true},
		"Turkish":                          {"istanbul", "İstanbul", true},
		"Arabic without vowels":            {"سلام", "سَلَام", true},
		"Chinese, within a text":           {"咖啡", "我们的新咖啡店今天开业", true},
		"Chinese that is not there":        {"茶馆", "我们的新咖啡店今天开业", false},
		"Japanese, within a text":          {"新発売", "本日新発売の商品です", true},
		"Japanese, kana":                   {"コーヒー", "おいしいコーヒーをどうぞ", true},
		"Japanese, half width":             {"ガイド", "ｶﾞｲﾄﾞを見る", true},
		"Japanese, a mark of its own":      {"が", "か\u3099くせい", true},
		"Japanese, a mark makes another":   {"はし", "ばしょ", false},
		"Japanese after Latin":             {"tokyo", "東京Tokyo駅", true},
		"full width":                       {"sale", "ＳＡＬＥ開催", true},
		"Korean, with a particle":          {"커피", "커피를 마시다", true},
		"Korean, the beginning of another": {"하", "한국", false},
		"Thai":                             {"กาแฟ", "ร้านกาแฟใหม่", true},
		"a hashtag":                        {"#sale", "Now: #Sale!", true},
		"an emoji, drawn in colour":        {"❤", "I ❤\uFE0F you", true},
		"letters of mathematics":           {"big news", "𝐁𝐈𝐆 𝐍𝐄𝐖𝐒", true},
		"a ligature":                       {"office", "the oﬃce", true},
		"a soft hyphen":                    {"harbour", "har\u00ADbour", true},
		"a curled apostrophe":              {"don't", "Don’t go", true},
		"what JSON escapes":                {`a<b "c"`, `is a<b, or "c"?`, true},
	} {
		t.Run(name, func(t *testing.T) {
			q, ok := textsearch.New(tt.query)
			if !ok {
				t.Fatal("the query has no words")
			}
			if got := q.Matches([]string{"other", tt.text}); got != tt.want {
				t.Errorf("Matches = %t, want %t", got, tt.want)
			}
			document, err := json.Marshal(map[string]string{"text": tt.text})
			if err != nil {
				t.Fatal(err)
			}
			if tt.want && !q.MayMatch(string(document)) {
				t.Errorf("MayMatch(%s) = false", document)
			}
		})
	}
	for name, query := range map[string]string{
		"nothing": "", "blanks": " \u3000", "marks alone": "!? \u0301", "too many": strings.Repeat("a ", textsearch.MaxWords+1),
	} {
		if _, ok := textsearch.New(query); ok {
			t.Errorf("%s is a query", name)
		}
	}
}

// What is appended in pieces never ends within a character, and no query panics.
func FuzzMatches(f *testing.F) {
	f.Add("か\u3099", "\u3099")
	f.Add("\xff", "a\xffb")
	f.Fuzz(func(t *testing.T, query, text string) {
		q, ok := textsearch.New(query)
		if ok && !q.Matches([]string{query + " " + text}) && !strings.ContainsRune(query, '\u3099') && !strings.ContainsRune(query, '\u309A') {
			t.Errorf("%q is not found in itself", query)
		}
	})
}

func BenchmarkMayMatch(b *testing.B) {
	for name, text := range map[string]string{
		"ascii": strings.Repeat("a morning at the harbour ", 20), "accents": strings.Repeat("l'été à la forêt près du café ", 20), "chinese": strings.Repeat("我们的新咖啡店今天开业", 20),
	} {
		b.Run(name, func(b *testing.B) {
			q, _ := textsearch.New("nowhere")
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				q.MayMatch(text)
			}
		})
	}
}
