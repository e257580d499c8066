package telegram_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
	simulator "crier/connectors/simulators/telegram"
	"crier/connectors/telegram"
	"crier/connectors/telegram/markup"
	"crier/schema"
	"crier/schema/validation"
)

// markupCase is a text, and what is shown of it or why it is refused.
type markupCase struct{ mode, text, visible, refused string }

const (
	html       = "HTML"
	markdown   = "Markdown"
	markdownV2 = "MarkdownV2"
	reservedBy = `' is reserved and must be escaped with the preceding '\'`
	noEntity   = "Invalid tg://emoji or tg://time URL specified"
)

// markupCases are by source: those without another word are of core.telegram.org/bots/api#formatting-options,
// tdlib's of its test/message_entities.cpp.
var markupCases = map[string][]markupCase{
	"the documents": {
		{html, `<b>bold</b>, <strong>bold</strong> <i>italic</i>, <em>italic</em> <u>u</u><ins>u</ins> <s>s</s><strike>s</strike><del>s</del>`, `bold, bold italic, italic uu sss`, ""},
		{html, `<span class="tg-spoiler">spoiler</span>, <tg-spoiler>spoiler</tg-spoiler>`, `spoiler, spoiler`, ""},
		{html, `<b>bold <i>italic bold <s>italic bold strikethrough <span class="tg-spoiler">spoiler</span></s> <u>underline italic bold</u></i> bold</b>`, `bold italic bold italic bold strikethrough spoiler underline italic bold bold`, ""},
		{html, `<a href="http://www.example.com/">inline URL</a> <a href="tg://user?id=123456789">inline mention</a>`, `inline URL inline mention`, ""},
		{html, `<tg-emoji emoji-id="5368324170671202286">👍</tg-emoji>`, `👍`, ""},
		{html, `<tg-time unix="1647531900" format="wDT">22:45 tomorrow</tg-time><tg-time unix="1647531900">22:45</tg-time>`, `22:45 tomorrow22:45`, ""},
		{html, `<code>inline</code><pre>block</pre><pre><code class="language-python">in Python</code></pre>`, `inlineblockin Python`, ""},
		{html, "<blockquote>Started\nLast</blockquote><blockquote expandable>Expandable\nLast</blockquote>", "Started\nLastExpandable\nLast", ""},
		{html, `1 &lt; 2 &amp; 3 &gt; 2 &quot;x&quot; &#39;&#x1F44D;&nbsp;`, `1 < 2 & 3 > 2 "x" '👍&nbsp;`, ""},
		{markdownV2, `*bold \*text* _italic \*text_ __underline__ ~strikethrough~ ||spoiler||`, `bold *text italic *text underline strikethrough spoiler`, ""},
		{markdownV2, `*bold _italic bold ~italic bold strikethrough ||italic bold strikethrough spoiler||~ __underline italic bold___ bold*`, `bold italic bold italic bold strikethrough italic bold strikethrough spoiler underline italic bold bold`, ""},
		{markdownV2, `[inline URL](http://www.example.com/) [inline mention](tg://user?id=123456789) ![👍](tg://emoji?id=5368324170671202286)`, `inline URL inline mention 👍`, ""},
		{markdownV2, `![22:45 tomorrow](tg://time?unix=1647531900&format=wDT)`, `22:45 tomorrow`, ""},
		{markdownV2, "`inline` ```\nblock\n``` ```python\nin Python\n```", "inline block\n in Python\n", ""},
		{markdownV2, ">Block quotation started\n>Last line\n**>An expandable one right after it\n>Expandable||", "Block quotation started\nLast line\nAn expandable one right after it\nExpandable", ""},
		{markdownV2, "`a \\` b \\\\ c * _ .`", "a ` b \\ c * _ .", ""},
		{markdown, "*bold text* _italic text_ [inline URL](http://www.example.com/) `inline` ```\nblock\n``` ```python\nin Python\n```", "bold text italic text inline URL inline block\n in Python\n", ""},
		{markdown, `_snake_\__case_ \[x] 2\*2`, `snake_case [x] 2*2`, ""},
	},
	"what people sent": { // node-red-contrib-telegrambot #301, ioBroker.telegram #379, home-assistant/core #104312
		{markdownV2, `Sale ends 1.5. (now)!`, "", `Character '.` + reservedBy},
		{html, `a <b>bold & 3 < 5`, "", `Unsupported start tag "" at byte offset 14`},
		{markdown, `new file my_photo.jpg`, "", `Can't find end of the entity starting at byte offset 11`},
		{markdownV2, `total: 5 - 3`, "", `Character '-` + reservedBy},
		{markdownV2, `#news`, "", `Character '#` + reservedBy},
		{html, `one<br>two`, "", `Unsupported start tag "br" at byte offset 3`},
		{html, `<p>one</p>`, "", `Unsupported start tag "p" at byte offset 0`},
		{html, `I <3 you`, "", `Unsupported start tag "3" at byte offset 2`},
		{html, `AT&T <b>x</b>`, `AT&T x`, ""},
		{markdown, `a lone * star`, "", `Can't find end of the entity starting at byte offset 7`},
	},
	"tdlib, HTML": {
		{html, `🏟 🏟&lt;<abacaba`, "", `Unclosed start tag at byte offset 13`},
		{html, `🏟 🏟&lt;<abac aba>`, "", `Unsupported start tag "abac" at byte offset 13`},
		{html, `🏟 🏟&lt;<i   =aba>`, "", `Empty attribute name in the tag "i" at byte offset 13`},
		{html, `🏟 🏟&lt;<i    aba>`, "", `Can't find end tag corresponding to start tag "i"`},
		{html, `🏟 🏟&lt;<i    aba  =  `, "", `Unclosed start tag "i" at byte offset 13`},
		{html, `🏟 🏟&lt;<i    aba  =  190azAz-.,`, "", `Unexpected end of name token at byte offset 27`},
		{html, `🏟 🏟&lt;<i    aba  =  "&lt;&gt;&quot;>`, "", `Unclosed start tag at byte offset 13`},
		{html, `🏟 🏟&lt;</`, "", `Unexpected end tag at byte offset 13`},
		{html, `🏟 🏟&lt;<b></b></`, "", `Unexpected end tag at byte offset 20`},
		{html, `🏟 🏟&lt;<i>a</i   `, "", `Unclosed end tag at byte offset 17`},
		{html, `🏟 🏟&lt;<i>a</em   >`, "", `Unmatched end tag at byte offset 17, expected "</i>", found "</em>"`},
		{html, `<b><i>x</b></i>`, "", `Unmatched end tag at byte offset 7, expected "</i>", found "</b>"`},
		{html, `&#57311;`, "", `Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units`},
		{html, `&ge;&lt;&gt;&amp;&quot;&laquo;&raquo;&#12345678;`, `&ge;<>&"&laquo;&raquo;&#12345678;`, ""},
		{html, `🏟 🏟<i>🏟 &gt;<b aba   =   caba>&lt🏟</b></i>`, `🏟 🏟🏟 ><🏟`, ""},
		{html, `🏟 🏟&lt;<i    aba  =  '&lt;&gt;&quot;'>a</>`, `🏟 🏟<a`, ""},
		{html, `<A HREF=telegram.org> x</a>`, ` x`, ""},
		{html, `<span class="x">a</span>`, "", `Tag "span" must have class "tg-spoiler" at byte offset 0`},
		{html, `<tg-emoji emoji-id="x">👍</tg-emoji>`, "", `Invalid custom emoji identifier specified`},
		{html, `<tg-emoji emoji-id="x"></tg-emoji>a`, `a`, ""},
		{html, `<tg-time unix="1" format="xyz">a</tg-time>`, "", `Invalid date format used`},
		{html, `<code><i><b> </b></i></code>.<i><b><code> </code></b></i>`, ` . `, ""},
		{html, `<blockquote><blockquote>a</blockquote></blockquote>`, `a`, ""},
	},
	"tdlib, MarkdownV2": {
		{markdownV2, `🏟 🏟_abacaba`, "", `Can't find end of Italic entity at byte offset 9`},
		{markdownV2, `🏟 🏟_abac * asd _`, "", `Can't find end of Italic entity at byte offset 21`},
		{markdownV2, "🏟 🏟```a", "", `Can't find end of Pre entity at byte offset 9`},
		{markdownV2, "🏟 🏟```a ", "", `Can't find end of PreCode entity at byte offset 9`},
		{markdownV2, `🏟 🏟_🏟 🏟__`, "", `Can't find end of Underline entity at byte offset 19`},
		{markdownV2, "🏟 🏟```🏟 🏟`", "", `Can't find end of Code entity at byte offset 21`},
		{markdownV2, `[telegram\.org](asd`, "", `Can't find end of a URL at byte offset 16`},
		{markdownV2, `🏟 🏟__🏟 _🏟___`, "", `Can't find end of Italic entity at byte offset 23`},
		{markdownV2, `🏟 🏟||test\|`, "", `Can't find end of Spoiler entity at byte offset 9`},
		{markdownV2, `🏟 🏟>`, "", `Character '>` + reservedBy},
		{markdownV2, `a|b`, "", `Character '|` + reservedBy},
		{markdownV2, `🏟 🏟![👍`, "", `Can't find end of CustomEmoji entity at byte offset 9`},
		{markdownV2, `🏟 🏟![👍]`, "", `The entity must contain a tg://emoji or tg://time URL`},
		{markdownV2, `🏟 🏟![👍](tg://emoji?test=1231&id=025)`, "", noEntity},
		{markdownV2, `🏟 🏟![👍](tg:emojis?id=1234)`, "", noEntity},
		{markdownV2, `🏟 🏟![👍](tg://time?test=1#&date=25)`, "", noEntity},
		{markdownV2, `🏟 🏟![👍](TG://EMoJI/?test=1231&id=25#id=32)a`, `🏟 🏟👍a`, ""},
		{markdownV2, `🏟 🏟![👍](TG://TiME/?test=1231&format=Wt&unix=25#unix=32)a`, `🏟 🏟👍a`, ""},
		{markdownV2, ">*b\n>ld \n>bo\nld*\nasd\ndef", "", `Can't find end of Bold entity at byte offset 1`},
		{markdownV2, ">\n*a*>2", "", `Character '>` + reservedBy},
		{markdownV2, ">asd\n>q||e||w||\n||asdad", "", `Can't find end of Spoiler entity at byte offset 16`},
		{markdownV2, ">asd\n>q||e||w__\n||asdad", "", `Can't find end of Underline entity at byte offset 13`},
		{markdownV2, `\\\a\b\1➡️\`, `\ab1➡️\`, ""},
		{markdownV2, `🏟 🏟__🏟 _🏟_\___`, `🏟 🏟🏟 🏟_`, ""},
		{markdownV2, "🏟 🏟```🏟\r\n🏟```", `🏟 🏟🏟`, ""},
		{markdownV2, "🏟 🏟```🏟\n\n🏟```", "🏟 🏟\n🏟", ""},
		{markdownV2, "`_* *_`__*` `*__", `_* *_ `, ""},
		{markdownV2, `[telegram\.org](https://telegram.dog?\\\()`, `telegram.org`, ""},
		{markdownV2, `[telegram\.org]a`, `telegram.orga`, ""},
		{markdownV2, "> \\>\n \\> \n>", " >\n > \n", ""},
		{markdownV2, "*a\n>b\n>ld \n>bo\n>ld\nasd*\ndef", "a\nb\nld \nbo\nld\nasd\ndef", ""},
		{markdownV2, ">`b\n>ld \n>bo\nld`\n>asd\ndef", "b\n>ld \n>bo\nld\nasd\ndef", ""},
		{markdownV2, ">\n**>2", "\n2", ""},
		{markdownV2, ">asd\r\n>q||e||w||\r\nasdad", "asd\r\nqew\r\nasdad", ""},
		{markdownV2, "`a\n`>b", "", `Character '>` + reservedBy},
		{markdownV2, ">>a", "a", ""},
	},
	"tdlib, Markdown": { // as td/telegram/MessageEntity.cpp reads it: there are no tests of it
		{markdown, `[](url) x`, `(url) x`, ""},
		{markdown, `[a](never ends`, `a`, ""},
		{markdown, `[a*b](c) *x_y*`, `a*b x_y`, ""},
		{markdown, "```", "", `Can't find end of the entity starting at byte offset 0`},
		{markdown, `\a \\ 1 > 0 - (x)!`, `\a \\ 1 > 0 - (x)!`, ""},
	},
}

// The connector and the simulator have a parser each, which share nothing but these cases.
func TestMarkupIsReadAsTelegramReadsIt(t *testing.T) {
	parse := simulatedParser()
	for source, cases := range markupCases {
		for _, tt := range cases {
			t.Run(source+": "+tt.text, func(t *testing.T) {
				visible, err := markup.Visible(tt.mode, tt.text)
				if refused := refusalBy(err); visible != tt.visible || refused != tt.refused {
					t.Errorf("the connector reads %q, %q, want %q, %q", visible, refused, tt.visible, tt.refused)
				}
				if visible, refused := parse(t, tt.mode, tt.text); visible != tt.visible || refused != tt.refused {
					t.Errorf("the simulator reads %q, %q, want %q, %q", visible, refused, tt.visible, tt.refused)
				}
			})
		}
	}
}

func refusalBy(err error) string {
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(err.Error(), "can't parse entities: ")
}

// simulatedParser returns what the simulator reads of a text, by its answer to a message of it.
func simulatedParser() func(t *testing.T, mode, text string) (visible, refused string) {
	world := simulation.NewWorld(simulation.Config{Platform: schema.Telegram, Now: time.Now, BaseURL: func() string { return "" }})
	handler := simulator.NewUnlimited(world)
	return func(t *testing.T, mode, text string) (visible, refused string) {
		t.Helper()
		body, err := json.Marshal(map[string]string{"chat_id": "1", "text": text, "parse_mode": mode})
		if err != nil {
			t.Fatal(err)
		}
		request := httptest.NewRequest(http.MethodPost, "/bot"+token+"/sendMessage", bytes.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		var answer struct {
			Description string
			Result      struct{ Text string }
		}
		if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		return answer.Result.Text, strings.TrimPrefix(answer.Description, "Bad Request: can't parse entities: ")
	}
}

// FuzzMarkup compares the two parsers.
func FuzzMarkup(f *testing.F) {
	modes := []string{html, markdown, markdownV2}
	for _, cases := range markupCases {
		for _, tt := range cases {
			f.Add(tt.mode, tt.text)
		}
	}
	parse, texts := simulatedParser(), 0
	f.Fuzz(func(t *testing.T, mode, text string) {
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") || len(text) > 4000 {
			return // none of them comes so far
		}
		if texts++; texts%1000 == 0 {
			parse = simulatedParser() // a world keeps what was sent
		}
		mode = modes[len(mode)%len(modes)]
		visible, err := markup.Visible(mode, text)
		refused := refusalBy(err)
		if refused == "" && strings.TrimSpace(visible) == "" {
			return // a message needs a text
		}
		if other, refusedToo := parse(t, mode, text); other != visible || refusedToo != refused {
			t.Errorf("%s %q: the connector reads %q, %q, the simulator %q, %q", mode, text, visible, refused, other, refusedToo)
		}
	})
}

func TestWhatIsShownIsHeldToTheLimits(t *testing.T) {
	for name, tt := range map[string]struct {
		mode, text string
		media      bool
		want       string // of the error, a part; empty: none
	}{
		"markup does not count":           {html, "<b>" + strings.Repeat("x", 4096) + "</b>", false, ""},
		"one sign too many is shown":      {html, "<b>" + strings.Repeat("x", 4097) + "</b>", false, "takes at most 4096 characters, the text has 4097"},
		"units of UTF-16":                 {markdownV2, "*" + strings.Repeat("👍", 2049) + "*", false, "the text has 4098"},
		"a reference is one":              {html, strings.Repeat("&lt;", 4096), false, ""},
		"an escape is none":               {markdownV2, strings.Repeat(`\.`, 4096), false, ""},
		"nor is the address of a link":    {markdownV2, "[x](https://example.com/" + strings.Repeat("y", 5000) + ")", false, ""},
		"markup has a bound of its own":   {markdownV2, "[x](https://example.com/" + strings.Repeat("y", 32_768) + ")", false, "it may have 32768 bytes, it has 32793"},
		"a caption at its limit":          {html, "<i>" + strings.Repeat("x", 1024) + "</i>", true, ""},
		"a caption over it":               {html, "<i>" + strings.Repeat("x", 1025) + "</i>", true, "takes at most 1024 characters beside media, the text has 1025"},
		"nothing is shown":                {html, "<b> </b>", false, "a post needs a text or media"},
		"nothing is shown beside a photo": {html, "<b> </b>", true, ""},
		"it cannot be read": {
			markdownV2, "Sale\nends 1.5.", false, `telegram cannot read the text: can't parse entities: Character '.` + reservedBy + ` (line 2, character 7, as MarkdownV2)`,
		},
		"without a mode nothing is markup": {"", "a <b>bold & 3 < 5 *_`.!", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := schema.Content{Entries: []schema.Entry{{Text: tt.text}}}
			if tt.mode != "" {
				c.Settings = map[schema.Platform]json.RawMessage{schema.Telegram: json.RawMessage(`{"parseMode":"` + tt.mode + `"}`)}
			}
			if tt.media {
				c.Entries[0].Media = []schema.Media{{Kind: schema.Image, URL: "https://example.com/a.jpg"}}
			}
			found, _ := validation.Check(c, []schema.Target{{Platform: schema.Telegram}}, func(schema.Target) *schema.Constraints { return new(telegram.Constraints()) })
			var messages []string
			for _, d := range found {
				messages = append(messages, d.Message)
			}
			if all := strings.Join(messages, "\n"); tt.want == "" && all != "" || !strings.Contains(all, tt.want) {
				t.Errorf("errors %q, want %q", all, tt.want)
			}
		})
	}
}
