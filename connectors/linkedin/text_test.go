package linkedin

import (
	"testing"
	"testing/quick"
)

func TestCommentary(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                     "plain",
		`a\b|c{d}e@f[g]h(i)j<k>l*m`: `a\\b\|c\{d\}e\@f\[g\]h\(i\)j\<k\>l\*m`,
		"snake_case ~ 100%":         `snake\_case \~ 100%`,
		"#crier is out":             `{hashtag|\#|crier} is out`,
		"(#crier, #two_words)":      `\({hashtag|\#|crier}, {hashtag|\#|two\_words}\)`,
		"number #1 and # alone":     `number \#1 and \# alone`,
		"#1st":                      `{hashtag|\#|1st}`,
		"https://a.example/b#part":  `https://a.example/b\#part`,
		"C# and ##":                 `C\# and \#\#`,
		"日本 #日本 👍🏽":                 `日本 {hashtag|\#|日本} 👍🏽`,
		"broken \xff utf-8":         "broken \uFFFD utf-8",
		"a\n#b":                     "a\n{hashtag|\\#|b}",
		// little-text-format; Postiz leaves mentions as they are
		"hi @[Dev_Team](urn:li:organization:2414183)!":    `hi @[Dev\_Team](urn:li:organization:2414183)!`,
		"@[Ann](urn:li:person:a-B_1), #hi":                `@[Ann](urn:li:person:a-B_1), {hashtag|\#|hi}`,
		"by @[Acme (UK) Ltd](urn:li:organization:7) (us)": `by @[Acme \(UK\) Ltd](urn:li:organization:7) \(us\)`,
		"@[Ann](https://a.example)":                       `\@\[Ann\]\(https://a.example\)`,
		"@[Ann](urn:li:share:7)":                          `\@\[Ann\]\(urn:li:share:7\)`,
	} {
		if got := commentary(text); got != want {
			t.Errorf("commentary(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestPlainText(t *testing.T) {
	for marked, want := range map[string]string{
		`a\_b \\ c`:                             `a_b \ c`,
		`{hashtag|\#|two\_words} {hashtag|#|b}`: "#two_words #b",
		`hello @[Devtest \(Co\)](urn:li:organization:1), #plain`: "hello Devtest (Co), #plain",
		`unfinished \`: `unfinished \`,
	} {
		if got := plainText(marked); got != want {
			t.Errorf("plainText(%q) = %q, want %q", marked, got, want)
		}
	}
}

// What LinkedIn shows of a text is the text.
func TestCommentaryShowsTheText(t *testing.T) {
	const signs = `ab1 #\|{}@[]()<>*_~é日`
	alphabet := []rune(signs)
	err := quick.Check(func(picks []uint8) bool {
		text := ""
		for _, pick := range picks {
			text += string(alphabet[int(pick)%len(alphabet)])
		}
		return plainText(commentary(text)) == text
	}, &quick.Config{MaxCount: 2000})
	if err != nil {
		t.Error(err)
	}
}
