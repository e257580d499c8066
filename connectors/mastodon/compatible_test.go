package mastodon

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"crier/connectors/simulators/connectortest"
	simulator "crier/connectors/simulators/mastodon"
	"crier/connectors/simulators/simulation"
	"crier/schema"
	"crier/schema/validation"
)

// texts are of the kinds that GoToSocial 0.20, built and asked in November 2026, shows otherwise than they
// were sent.
var texts = map[string]struct{ text, settings string }{
	"plain":                       {text: "hello"},
	"an address of mail":          {text: "mail alice@example.com now"},
	"a host in other letters":     {text: "see http://münchen.de/straße?q=ü now"},
	"the same host in punycode":   {text: "https://xn--mnchen-3ya.de/%C3%BC and https://münchen.de/ü"},
	"entities that are meant":     {text: "A &amp; B &copy; C &amp;amp; D &lt;b&gt;"},
	"tags that are meant":         {text: "use <b>bold</b> and <script>x</script> <br> tags"},
	"a tag that does not end":     {text: "a <b c unclosed"},
	"nothing but a tag":           {text: "<only tags>"},
	"signs of comparison":         {text: "5 < 6 > 4 && 3"},
	"what Markdown makes a list":  {text: "2026. A year\n- one\n- two"},
	"what Markdown makes of text": {text: "*stars* _under_ `code` # no\n# heading\n> quote"},
	"a link in Markdown":          {text: "[title](https://example.com/a_b)"},
	"a link and its query":        {text: "https://example.com/a_(b)?x=1&copy=2&amp;y=<3>"},
	"a link without a scheme":     {text: "example.com/path and www.example.org"},
	"tags and mentions":           {text: "#CamelCase #ünï @somebody @nobody@nowhere.example"},
	"signs that nobody sees":      {text: "👩‍👩‍👧 zero\u200bwidth \ufeffbom"},
	"escapes":                     {text: `\*escaped\* ~~strike~~ 1) one`},
	"lines and space":             {text: "two\n\nparagraphs\r\nline  spaces"},
	"a warning with a tag":        {text: "x", settings: `{"spoilerText":"<b>warn</b> &amp; &copy; a"}`},
	"options with tags":           {text: "which?", settings: `{"poll":{"options":["<b>a</b>","x &amp; y","a <b"],"expiresIn":300}}`},
	"a shortcode":                 {text: "a:blobcat: :smile:"},
}

// Whatever a server makes of a text, it is there once: found, or nobody can tell. Sent as text/plain it is
// found on all.
func TestWhatACompatibleServerMakesOfATextIsFound(t *testing.T) {
	for software, name := range map[string]string{"": "Mastodon", simulator.GoToSocial: "GoToSocial", simulator.GoToSocialMarkdown: "Markdown"} {
		for kind, tt := range texts {
			t.Run(name+"/"+kind, func(t *testing.T) {
				r := newRigOn(t, software)
				d := r.delivery(tt.text)
				d.Key, d.Settings = uuid.NewString(), json.RawMessage(tt.settings)
				r.Inject(t, simulation.Fault{Operation: opCreateStatus, Lose: true})
				_, err := r.Publish(t.Context(), d)
				connectortest.WantKind(t, err, schema.Unknown)
				r.Pass(schema.Lease)
				receipt, verdict, err := r.Find(t.Context(), d)
				if err != nil || verdict != schema.Found || receipt.NativeID != r.WantPosts(t, 1)[0].ID {
					t.Errorf("Find = %+v, %v, %v", receipt, verdict, err)
				}
			})
		}
	}
}

// What an older version sent without a content type is not published again where the account's default is
// Markdown, and its server gives no source.
func TestAChangedTextIsNotPublishedAgain(t *testing.T) {
	for kind, tt := range texts {
		t.Run(kind, func(t *testing.T) {
			r := newRigOn(t, simulator.GoToSocialMarkdown)
			d := r.delivery(tt.text)
			d.Settings = json.RawMessage(tt.settings)
			input := newStatus{Status: tt.text}
			if s, err := settingsOf(d); err == nil && s.Poll != nil {
				input.Poll = &newPoll{Options: s.Poll.Options, ExpiresIn: s.Poll.ExpiresIn}
			} else {
				input.SpoilerText = s.SpoilerText
			}
			base := r.Base
			r.Base += simulator.GoToSocialMarkdown
			_, status := r.ask(t, "POST", "/api/v1/statuses", "", input)
			r.Base = base
			status["text"] = nil
			listed, err := json.Marshal([]any{status})
			if err != nil {
				t.Fatal(err)
			}
			r.Pass(time.Hour) // after which nothing in doubt is looked for again
			r.Inject(t, simulation.Fault{Operation: opListStatuses, Status: 200, Body: string(listed)})
			if _, verdict, err := r.Find(t.Context(), d); verdict == schema.NotThere || err != nil {
				t.Errorf("Find = %v, %v of %s", verdict, err, status["content"])
			}
		})
	}
}

// An account's own filter hides a status from its list (GoToSocial internal/processing/account/statuses.go).
// The account's count of statuses can forbid that it is published again; it proves nothing.
func TestAStatusThatItsListHidesIsNotPublishedAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		begin func(*testing.T, *rig) // before the claim
		fault simulation.Fault
		other bool // another app publishes meanwhile
		want  schema.Verdict
	}{
		"it is there":          {begin: checked, fault: simulation.Fault{Lose: true}, want: schema.CannotTell},
		"it never arrived":     {begin: checked, fault: simulation.Fault{Refuse: true}, want: schema.NotThere},
		"nothing was counted":  {begin: func(*testing.T, *rig) {}, fault: simulation.Fault{Refuse: true}, want: schema.CannotTell},
		"another app was busy": {begin: checked, fault: simulation.Fault{Refuse: true}, other: true, want: schema.CannotTell},
		"counted long ago": {begin: func(t *testing.T, r *rig) {
			checked(t, r)
			r.Pass(countFresh + time.Second)
		}, fault: simulation.Fault{Refuse: true}, want: schema.CannotTell},
		"after another status": {begin: func(t *testing.T, r *rig) { mustPublish(t, r, r.delivery("the first")) }, fault: simulation.Fault{Lose: true}, want: schema.CannotTell},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRigOn(t, simulator.GoToSocial)
			simulator.Hide(r.World, r.account(), "secret")
			tt.begin(t, r)
			d := r.delivery("a secret text")
			tt.fault.Operation = opCreateStatus
			r.Inject(t, tt.fault)
			_, err := r.Publish(t.Context(), d)
			connectortest.WantKind(t, err, schema.Unknown)
			if tt.other {
				r.add(t, simulation.Post{Text: "of another app"})
			}
			for range 2 {
				r.Pass(schema.Lease)
				if _, verdict, err := r.Find(t.Context(), d); verdict != tt.want || err != nil {
					t.Errorf("Find = %v, %v; want %v", verdict, err, tt.want)
				}
			}
		})
	}
}

// checked has the connector see the account's count.
func checked(t *testing.T, r *rig) {
	t.Helper()
	a := r.delivery("").Account
	if _, err := r.Check(t.Context(), a, schema.Credentials{AccessToken: token}); err != nil {
		t.Fatal(err)
	}
}

// A process that died takes the count with it.
func TestACountOfAnotherProcessIsNotKnown(t *testing.T) {
	r := newRigOn(t, simulator.GoToSocial)
	checked(t, r)
	d := r.delivery("hello")
	r.Inject(t, simulation.Fault{Operation: opCreateStatus, Refuse: true})
	_, err := r.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.Unknown)
	other := newRigOn(t, simulator.GoToSocial)
	if _, verdict, err := other.Find(t.Context(), d); verdict != schema.CannotTell || err != nil {
		t.Errorf("Find = %v, %v", verdict, err)
	}
}

// text/plain is for servers whose accounts may have another default. Mastodon knows no such field.
func TestTheContentTypeIsSentWhereTheServerIsNotMastodon(t *testing.T) {
	for software, want := range map[string]string{"": "", simulator.GoToSocial: plainContent, simulator.GoToSocialMarkdown: plainContent} {
		r := newRigOn(t, software)
		d := r.delivery("2026. A year")
		d.Account = r.connected(t)
		if body, err := r.bodyOf(d, nil); err != nil || body.ContentType != want {
			t.Errorf("on %q it is sent as %q, %v; want %q", software, body.ContentType, err, want)
		}
	}
}

// Such servers count code points of text and warning together, with links and mentions in full, whatever
// they say that a URL counts: what crier accepts they take, at the edge and not one beyond.
func TestACompatibleServerTakesWhatIsAccepted(t *testing.T) {
	family := "👨‍👩‍👧‍👦" // one character, of seven code points
	for name, tt := range map[string]struct {
		text     string
		settings string
		counts   int
	}{
		"letters":          {text: "", counts: 0},
		"long URLs":        {text: strings.Repeat("https://example.com/"+strings.Repeat("a", 100)+" ", 3), counts: 3 * 121},
		"families":         {text: strings.Repeat(family, 60), counts: 420},
		"a remote mention": {text: "@alice@very.long.server.example ", counts: 32},
		"a warning":        {settings: `{"spoilerText":"` + family + `"}`, counts: 7},
		"short URLs":       {text: "http://a.de ", counts: 26}, // by Mastodon's count, which is the larger
	} {
		t.Run(name, func(t *testing.T) {
			r := newRigOn(t, simulator.GoToSocial)
			a := r.connected(t)
			c, maximum := Constraints().For(&a), usualLimits().Text
			for _, beyond := range []int{0, 1} {
				d := r.delivery(tt.text + strings.Repeat("x", maximum-tt.counts+beyond))
				d.Key, d.Account, d.Settings = uuid.NewString(), a, json.RawMessage(tt.settings)
				content := schema.Content{Entries: []schema.Entry{{Text: d.Text}}}
				if tt.settings != "" {
					content.Settings = map[schema.Platform]json.RawMessage{schema.Mastodon: d.Settings}
				}
				found, _ := validation.Check(content, []schema.Target{{Platform: schema.Mastodon, Account: a.ID}}, func(schema.Target) *schema.Constraints { return new(c) })
				_, err := r.Publish(t.Context(), d)
				if (len(found) > 0) != (beyond > 0) || len(found) == 0 && err != nil {
					t.Errorf("%d beyond: found %v, published %v", beyond, found, err)
				}
			}
		})
	}
}

// Mastodon counts the warning with the text as well (app/validators/status_length_validator.rb).
func TestMastodonTakesWhatIsAcceptedWithAWarning(t *testing.T) {
	r := newRig(t)
	a := r.connected(t)
	settings := json.RawMessage(`{"spoilerText":"careful"}`)
	for beyond, refused := range []bool{false, true} {
		d := r.delivery(strings.Repeat("x", usualLimits().Text-len("careful")+beyond))
		d.Account, d.Settings = a, settings
		content := schema.Content{Entries: []schema.Entry{{Text: d.Text}}, Settings: map[schema.Platform]json.RawMessage{schema.Mastodon: settings}}
		found, _ := validation.Check(content, []schema.Target{{Platform: schema.Mastodon, Account: a.ID}}, func(schema.Target) *schema.Constraints { return new(Constraints().For(&a)) })
		_, err := r.Publish(t.Context(), d)
		if (len(found) > 0) != refused || (err != nil) != refused {
			t.Errorf("%d beyond: found %v, published %v", beyond, found, err)
		}
	}
}
