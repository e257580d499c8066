package googlebusiness

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

const anEvent = `"event":{"title":"Tasting","startDate":"2026-03-05","endDate":"2026-03-06","endTime":"18:30"}`

func TestEachKindOfPost(t *testing.T) {
	for name, tt := range map[string]struct {
		settings string
		check    func(localPost) bool
	}{
		"nothing asked for": {``, func(p localPost) bool { return p.TopicType == "STANDARD" && p.CallToAction == nil && p.Event == nil }},
		"a button and a language": {`{"languageCode":"pt-BR","callToAction":{"actionType":"BOOK","url":"https://example.com/book"}}`, func(p localPost) bool {
			return p.LanguageCode == "pt-BR" && *p.CallToAction == callToAction{"BOOK", "https://example.com/book"}
		}},
		"a call": {`{"callToAction":{"actionType":"CALL"}}`, func(p localPost) bool { return *p.CallToAction == callToAction{ActionType: "CALL"} }},
		"an event": {`{` + anEvent + `}`, func(p localPost) bool {
			return p.TopicType == "EVENT" && p.Offer == nil && *p.Event == event{"Tasting", schedule{
				date{2026, 3, 5}, timeOfDay{0, 0}, date{2026, 3, 6}, timeOfDay{18, 30}}}
		}},
		"an offer": {`{"topicType":"OFFER","offer":{"couponCode":"TEA","redeemOnlineUrl":"https://example.com","termsConditions":"once"},` + anEvent + `}`, func(p localPost) bool {
			return p.TopicType == "OFFER" && p.Event != nil && *p.Offer == offer{"TEA", "https://example.com", "once"}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			receipt := r.publish(t, r.delivery(t, "Tea, and cake", tt.settings))
			posts := r.World.Posts()
			if len(posts) != 1 || posts[0].Text != "Tea, and cake" || len(posts[0].Media) != 1 || posts[0].Media[0].Type != "image/png" {
				t.Fatalf("posts %+v", posts)
			}
			if post := connectortest.FieldsOf[localPost](t, posts[0]); !tt.check(post) || post.Media[0] != (picture{"PHOTO", r.picture.URL}) {
				t.Errorf("the post is %+v", post)
			}
			if receipt.NativeID != posts[0].ID || !strings.HasPrefix(receipt.URL, r.Base) || !receipt.PostedAt.Equal(posts[0].CreatedAt) {
				t.Errorf("receipt %+v of post %+v", receipt, posts[0])
			}
		})
	}
}

// A post that Google looks at before it shows it is published once it is shown, and failed once
// it is rejected.
func TestAPostThatGoogleLooksAt(t *testing.T) {
	for name, tt := range map[string]struct {
		text, settings string
		want           schema.Verdict
	}{
		"shown after a while":    {"Order here", `{"callToAction":{"actionType":"ORDER","url":"https://example.com"}}`, schema.Found},
		"rejected after a while": {"Call +44 20 7946 0000", ``, schema.NotThere},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery(t, tt.text, tt.settings)
			receipt := r.publish(t, d)
			if !receipt.Open {
				t.Fatal("the receipt is closed, and Google looks at the post still")
			}
			d.Receipts, d.Step = []schema.Receipt{receipt}, schema.StepFind
			again, verdict, err := r.Find(t.Context(), d)
			if err != nil || verdict != schema.Found || again != receipt {
				t.Fatalf("Find = %+v, %v, %v, want the open receipt", again, verdict, err)
			}
			r.Pass(5 * time.Second)
			settled, verdict, err := r.Find(t.Context(), d)
			if verdict != tt.want {
				t.Fatalf("Find = %+v, %v, %v", settled, verdict, err)
			}
			if verdict == schema.Found {
				if err != nil || settled.Open || settled.NativeID != receipt.NativeID {
					t.Errorf("receipt %+v, %v", settled, err)
				}
				return
			}
			refused := connectortest.WantKind(t, err, schema.Refused)
			if !strings.Contains(refused.Message, "rejected") {
				t.Errorf("message %q", refused.Message)
			}
			if after := d.After(schema.Outcome{Verdict: verdict, Err: refused}, r.Clock(), 0); after.State != schema.TargetFailed || after.Error.Code != "platform_refused" || len(after.Receipts) != 0 {
				t.Errorf("the target is %+v", after)
			}
		})
	}
}

// A post that is rejected at once, or found so, has failed as well.
func TestAPostThatIsRejected(t *testing.T) {
	r := newRig(t)
	d := r.delivery(t, "Call +44 20 7946 0000", ``)
	r.Inject(t, simulation.Fault{Operation: opCreatePost, Status: http.StatusOK, Body: `{"name":"` + d.Credentials.EntityID + `/localPosts/7","state":"REJECTED"}`})
	_, err := r.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.Refused)

	r.Inject(t, simulation.Fault{Operation: opCreatePost, Lose: true})
	_, err = r.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.Unknown)
	r.Pass(5 * time.Second)
	_, verdict, err := r.Find(t.Context(), d)
	if connectortest.WantKind(t, err, schema.Refused); verdict != schema.NotThere {
		t.Errorf("verdict %v", verdict)
	}
}

// A state that says nothing is one of a post that Google looks at.
func TestAPostWithoutAState(t *testing.T) {
	r := newRig(t)
	d := r.delivery(t, "Tea", ``)
	for _, state := range []string{`""`, `"LOCAL_POST_STATE_UNSPECIFIED"`, `"LIVE"`} {
		r.Inject(t, simulation.Fault{Operation: opCreatePost, Status: http.StatusOK, Body: `{"name":"` + d.Credentials.EntityID + `/localPosts/7","state":` + state + `}`})
		if receipt := r.publish(t, d); receipt.Open != (state != `"LIVE"`) || receipt.NativeID != "7" {
			t.Errorf("%s: receipt %+v", state, receipt)
		}
	}
}

// A post that is gone while Google looked at it has failed, but not in the minutes in which it
// may not be known yet.
func TestAPostThatIsGone(t *testing.T) {
	r := newRig(t)
	d := r.delivery(t, "Tea", ``)
	r.Pass(6 * time.Hour) // in which Google took no more posts
	d.Receipts = []schema.Receipt{{NativeID: "7", Open: true, PostedAt: r.Clock()}}
	_, verdict, err := r.Find(t.Context(), d)
	if connectortest.WantKind(t, err, schema.Retryable); verdict != schema.CannotTell {
		t.Errorf("verdict %v", verdict)
	}
	r.Pass(goneAfter + time.Second)
	_, verdict, err = r.Find(t.Context(), d)
	if connectortest.WantKind(t, err, schema.Refused); verdict != schema.NotThere {
		t.Errorf("verdict %v", verdict)
	}
	for _, body := range []string{`{}`, `null`, `{"name":"accounts/1/locations/2/localPosts/8","state":"LIVE"}`, `<html>`} {
		r.Inject(t, simulation.Fault{Operation: opPost, Status: http.StatusOK, Body: body})
		_, verdict, err = r.Find(t.Context(), d)
		if connectortest.WantKind(t, err, schema.Retryable); verdict != schema.CannotTell {
			t.Errorf("%s: verdict %v", body, verdict)
		}
	}
}

// The answer of each call of a post may be lost, or the call never arrive: there is one post,
// or none, and it is known which.
func TestALostAnswerOfEachCall(t *testing.T) {
	for _, fault := range []simulation.Fault{{Lose: true}, {Refuse: true}, {Status: 503}} {
		for _, operation := range []string{opCreatePost, opListPosts, opPost} {
			r := newRig(t)
			d := r.delivery(t, "Order here", `{"callToAction":{"actionType":"ORDER","url":"https://example.com"}}`)
			fault.Operation = operation
			if operation == opListPosts { // the first call is lost too
				r.Inject(t, simulation.Fault{Operation: opCreatePost, Lose: true})
			}
			r.Inject(t, fault)
			receipt, err := r.Publish(t.Context(), d)
			looks := 0
			for ; err != nil || receipt.Open; looks++ {
				if looks > 5 {
					t.Fatalf("%s, %+v: never settled: %+v, %v", operation, fault, receipt, err)
				}
				r.Pass(5 * time.Second)
				if receipt.Open {
					d.Receipts = []schema.Receipt{receipt}
				}
				found, verdict, lookErr := r.Find(t.Context(), d)
				switch {
				case lookErr != nil:
					connectortest.WantKind(t, lookErr, schema.Retryable)
				case verdict == schema.NotThere && looks > 0:
					receipt, err = r.Publish(t.Context(), d)
				case verdict == schema.Found:
					receipt, err = found, nil
				}
			}
			if posts := r.World.Posts(); len(posts) != 1 || posts[0].ID != receipt.NativeID {
				t.Errorf("%s, %+v: receipt %+v of posts %+v", operation, fault, receipt, posts)
			}
		}
	}
}

// A post that Google lists half a minute after it was made is found, not made again.
func TestAPostThatIsListedLate(t *testing.T) {
	r := newRig(t)
	d := r.delivery(t, "Tea", ``)
	d.Listed = Constraints().Listing.Within
	r.Inject(t, simulation.Fault{Operation: opCreatePost, Lose: true})
	_, err := r.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.Unknown)
	r.Inject(t, simulation.Fault{Operation: opListPosts, Status: http.StatusOK, Times: 3, Body: `{}`})
	if !connectortest.Settle(t, d, func() (schema.Receipt, schema.Verdict, error) { return r.Find(t.Context(), d) }, r.Pass) {
		t.Error("it may be made again")
	}
}

// Google's own list tells posts of one text apart by what else they are.
func TestFindKnowsItsPost(t *testing.T) {
	r := newRig(t)
	standard, offer := r.delivery(t, "Tea", ``), r.delivery(t, "Tea", `{"offer":{"couponCode":"A"},`+anEvent+`}`)
	other := r.delivery(t, "Tea", `{"offer":{"couponCode":"A"},`+strings.Replace(anEvent, "Tasting", "Another", 1)+`}`)
	alone := r.delivery(t, "Tea", `{`+anEvent+`}`)
	receipt := r.publish(t, offer)
	for name, d := range map[string]schema.Delivery{"standard": standard, "another event": other, "an event alone": alone} {
		if _, verdict, err := r.Find(t.Context(), d); verdict != schema.NotThere || err != nil {
			t.Errorf("Find of %s = %v, %v", name, verdict, err)
		}
	}
	if found, verdict, err := r.Find(t.Context(), offer); verdict != schema.Found || err != nil || found.NativeID != receipt.NativeID || !found.Open {
		t.Errorf("Find = %+v, %v, %v", found, verdict, err)
	}
}

// No document says how the list is sorted: the post may be on its last page.
func TestFindReadsEveryPage(t *testing.T) {
	r := newRig(t)
	d := r.delivery(t, "Tea", ``)
	receipt := r.publish(t, d)
	old := d.Credentials.EntityID + `/localPosts/1","topicType":"STANDARD","summary":"Tea","createTime":"2020-01-01T00:00:00Z","state":"LIVE`
	r.Inject(t, simulation.Fault{Operation: opListPosts, Status: http.StatusOK, Body: `{"localPosts":[{"name":"` + old + `"}],"nextPageToken":"0"}`})
	if found, verdict, err := r.Find(t.Context(), d); verdict != schema.Found || err != nil || found.NativeID != receipt.NativeID {
		t.Errorf("Find = %+v, %v, %v", found, verdict, err)
	}
}

func TestSettings(t *testing.T) {
	check := Constraints().Settings
	for settings, want := range map[string][]string{
		`{"topicType":"STANDARD","languageCode":"en"}`:     nil,
		`{` + anEvent + `}`:                                nil,
		`{"topicType":"ALERT"}`:                            {"topicType"},
		`{"languageCode":"english!"}`:                      {"languageCode"},
		`{"topicType":"EVENT"}`:                            {"event"},
		`{"topicType":"STANDARD",` + anEvent + `}`:         {"event"},
		`{"topicType":"EVENT","offer":{},` + anEvent + `}`: {"offer"},
		`{"offer":{}}`:                                     {"event"},
		`{"event":{"title":" ","startDate":"2026-02-30","endDate":"2026-03-01"}}`:                                       {"event.startDate", "event.title"},
		`{"event":{"title":"t","startDate":"2026-03-02","endDate":"2026-03-01"}}`:                                       {"event.endDate"},
		`{"event":{"title":"t","startDate":"2026-03-01","startTime":"9:00","endDate":"2026-03-01"}}`:                    {"event.startTime"},
		`{"event":{"title":"t","startDate":"2026-03-01","startTime":"10:00","endDate":"2026-03-01","endTime":"10:00"}}`: {"event.endDate"},
		`{"callToAction":{"actionType":"GET_OFFER","url":"https://example.com"}}`:                                       {"callToAction.actionType"},
		`{"callToAction":{"actionType":"BOOK"}}`:                                                                        {"callToAction.url"},
		`{"callToAction":{"actionType":"BOOK","url":"example.com"}}`:                                                    {"callToAction.url"},
		`{"callToAction":{"actionType":"CALL","url":"https://example.com"}}`:                                            {"callToAction.url"},
		`{"callToAction":{"actionType":"CALL"},"offer":{},` + anEvent + `}`:                                             {"callToAction"},
		`{"event":{"title":"` + strings.Repeat("é", 58) + `","startDate":"2026-03-01","endDate":"2026-03-01"}}`:         nil,
		`{"event":{"title":"` + strings.Repeat("é", 59) + `","startDate":"2026-03-01","endDate":"2026-03-01"}}`:         {"event.title"},
		`{"offer":{"redeemOnlineUrl":"ftp://example.com"},` + anEvent + `}`:                                             {"offer.redeemOnlineUrl"},
	} {
		var fields []string
		for _, d := range check([]byte(settings)) {
			fields = append(fields, d.Field)
		}
		slices.Sort(fields)
		if !slices.Equal(fields, want) {
			t.Errorf("%s: %v, want %v", settings, fields, want)
		}
	}
}
