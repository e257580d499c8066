package tiktok

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
	"crier/schema/validation"
)

// What a post is begun with, as the simulator keeps it.
func TestSettingsArrive(t *testing.T) {
	for name, tt := range map[string]struct{ token, settings, want string }{
		"the least": {
			token, `{"privacy":"SELF_ONLY"}`,
			`{"title":"","privacy_level":"SELF_ONLY","disable_duet":false,"disable_stitch":false,"disable_comment":false,"brand_content_toggle":false}`,
		},
		"everything": {
			token, `{"privacy":"PUBLIC_TO_EVERYONE","disableComment":true,"disableDuet":true,"disableStitch":true,"videoCoverTimestampMs":1500,` +
				`"brandContentToggle":true,"brandOrganicToggle":true,"isAigc":true}`,
			`{"title":"","privacy_level":"PUBLIC_TO_EVERYONE","disable_duet":true,"disable_stitch":true,"disable_comment":true,` +
				`"video_cover_timestamp_ms":1500,"brand_content_toggle":true,"brand_organic_toggle":true,"is_aigc":true}`,
		},
		"what the account has turned off stays so": {
			"private-creator", `{"privacy":"FOLLOWER_OF_CREATOR","disableDuet":false}`,
			`{"title":"","privacy_level":"FOLLOWER_OF_CREATOR","disable_duet":true,"disable_stitch":true,"disable_comment":false,"brand_content_toggle":false}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			d := r.delivery("look", short)
			d.Credentials.AccessToken, d.Settings = tt.token, []byte(tt.settings)
			r.publish(t, r.prepare(t, d))
			if post := r.wantPost(t, shortSize); string(post.Fields) != tt.want || post.Text != "look" {
				t.Errorf("%q with %s", post.Text, post.Fields)
			}
		})
	}
}

// Each of TikTok's calls has a limit of its own: what asks how far a video is, or who a creator is,
// too often keeps no video back of which all but the end is sent.
func TestALimitThrottlesItsOwnCallsAlone(t *testing.T) {
	spent := simulation.Fault{Status: http.StatusTooManyRequests, Body: `{"data":{},"error":{"code":"rate_limit_exceeded","message":"slower","log_id":"1"}}`}
	for _, spent.Operation = range []string{simCreator, simStatus} {
		r := newRig(t)
		d := r.prepare(t, r.delivery("look", short))
		limited := func() (err error) {
			if spent.Operation == simCreator {
				_, err = r.Prepare(t.Context(), schema.Delivery{Account: d.Account, Credentials: d.Credentials, Media: d.Media, Settings: d.Settings, Entries: 1})
			} else {
				_, _, err = r.Find(t.Context(), d)
			}
			return err
		}
		r.Inject(t, spent)
		for range 2 { // once asked, once throttled
			connectortest.WantKind(t, limited(), schema.RateLimited)
		}
		if _, wait := r.client.Reserve(t.Context(), d.Account.ID, connectors.Post); wait != 0 {
			t.Errorf("after %s the end is throttled for %v", spent.Operation, wait)
		}
		r.publish(t, d)
	}
}

// What cannot be published is not begun.
func TestWhatIsRefusedBeforeItIsBegun(t *testing.T) {
	creatorSays := func(code string) simulation.Fault {
		return simulation.Fault{Operation: simCreator, Status: 200, Body: `{"data":{},"error":{"code":"` + code + `","message":"no","log_id":"1"}}`}
	}
	for name, tt := range map[string]struct {
		token, privacy string
		item           schema.Media
		fault          simulation.Fault
		want           schema.ErrorKind
		says           string
		wait           time.Duration
		inits          int
	}{
		"a privacy that the account has not":  {token, "FOLLOWER_OF_CREATOR", short, simulation.Fault{}, schema.Refused, "PUBLIC_TO_EVERYONE", 0, 0},
		"a video that is too long":            {token, "SELF_ONLY", epic, simulation.Fault{}, schema.Refused, "10 minutes", 0, 0},
		"a video of another format":           {token, "SELF_ONLY", avi, simulation.Fault{}, schema.Refused, "video/mp4", 0, 0},
		"a photo":                             {token, "SELF_ONLY", photo, simulation.Fault{}, schema.Refused, "video", 0, 0},
		"an app that is not audited":          {"unaudited-creator", "PUBLIC_TO_EVERYONE", short, simulation.Fault{}, schema.Refused, "SELF_ONLY", 0, 1},
		"as many posts as a day has":          {token, "SELF_ONLY", short, creatorSays("spam_risk_too_many_posts"), schema.RateLimited, "today", dayWait, 0},
		"as many users as an app has":         {token, "SELF_ONLY", short, creatorSays("reached_active_user_cap"), schema.RateLimited, "five accounts", dayWait, 0},
		"a creator who is banned":             {token, "SELF_ONLY", short, creatorSays("spam_risk_user_banned_from_posting"), schema.TokenDead, "no", 0, 0},
		"a limit that is told with 200":       {token, "SELF_ONLY", short, creatorSays("rate_limit_exceeded"), schema.RateLimited, "no", limitWait, 0},
		"a fault that is told with 200":       {token, "SELF_ONLY", short, creatorSays("internal_error"), schema.Retryable, "", 0, 0},
		"a creator of whom nothing is said":   {token, "SELF_ONLY", short, simulation.Fault{Operation: simCreator, Status: 200, Body: `{"data":{},"error":{"code":"ok"}}`}, schema.Retryable, "privacy", 0, 0},
		"a beginning that says no address":    {token, "SELF_ONLY", short, simulation.Fault{Operation: simInit, Status: 200, Body: `{"data":{"publish_id":"1"},"error":{"code":"ok"}}`}, schema.Retryable, "where", 0, 1},
		"a beginning over the limit of a day": {token, "SELF_ONLY", short, simulation.Fault{Operation: simInit, Status: 403, Body: `{"error":{"code":"spam_risk_too_many_posts","message":"no"}}`}, schema.RateLimited, "today", dayWait, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			if tt.fault.Operation != "" {
				r.Inject(t, tt.fault)
			}
			d := r.delivery("look", tt.item)
			d.Credentials.AccessToken, d.Settings = tt.token, []byte(`{"privacy":"`+tt.privacy+`"}`)
			p, err := r.Prepare(t.Context(), d)
			e := connectortest.WantKind(t, err, tt.want)
			if isSettled := strings.Contains(name, "privacy") || tt.inits > 0; (p.Settings != nil) != isSettled {
				t.Errorf("what the creator may publish is kept as %s", p.Settings)
			}
			if !strings.Contains(e.Message, tt.says) || e.RetryAfter != tt.wait || r.World.Calls(simInit) != tt.inits {
				t.Errorf("%q, wait %v, %d beginnings", e.Message, e.RetryAfter, r.World.Calls(simInit))
			}
		})
	}
}

// A publication goes on by itself, from the last part to what the video is called.
func TestAPublicationIsFollowed(t *testing.T) {
	r := newRig(t)
	d := r.prepare(t, r.delivery("look", short))
	receipt := r.publish(t, d)
	d.Receipts = []schema.Receipt{receipt}
	look := func() schema.Receipt {
		t.Helper()
		found, verdict, err := r.Find(t.Context(), d)
		if verdict != schema.Found || err != nil || !found.PostedAt.Equal(receipt.PostedAt) {
			t.Fatalf("Find = %+v, %v, %v", found, verdict, err)
		}
		return found
	}
	if found := look(); !found.Open {
		t.Errorf("it is published while it is processed: %+v", found)
	}
	r.Pass(time.Second)
	if found := look(); !found.Open || found.NativeID != receipt.NativeID {
		t.Errorf("it is called something before it is moderated: %+v", found)
	}
	r.Pass(time.Second)
	post := r.wantPost(t, shortSize)
	found := look()
	if found.Open || found.NativeID != post.ID || found.URL != r.Base+"/@"+r.World.Account(token).Handle+"/video/"+post.ID {
		t.Errorf("found %+v of %+v", found, post)
	}
	if response, err := http.Get(found.URL); err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("the address shows %v, %v", response, err)
	} else {
		response.Body.Close()
	}
}

// What TikTok says of a publication, and what that means.
func TestWhatAPublicationHasComeTo(t *testing.T) {
	for name, tt := range map[string]struct {
		body    string
		privacy string
		after   time.Duration // since the last part
		want    schema.Verdict
		kind    schema.ErrorKind // Internal: no error
		open    bool
		id      string
	}{
		"some of it came":                  {`"PROCESSING_UPLOAD","uploaded_bytes":23`, everyone, 0, schema.NotThere, schema.Internal, false, ""},
		"nothing is said to have come":     {`"PROCESSING_UPLOAD"`, everyone, 0, schema.NotThere, schema.Internal, false, ""},
		"all of it came":                   {`"PROCESSING_UPLOAD","uploaded_bytes":24`, everyone, 0, schema.Found, schema.Internal, true, "publish_id"},
		"it waits for its name":            {`"PUBLISH_COMPLETE"`, everyone, time.Minute, schema.Found, schema.Internal, true, "publish_id"},
		"it has waited long enough":        {`"PUBLISH_COMPLETE"`, everyone, moderated, schema.Found, schema.Internal, false, "publish_id"},
		"nobody but its creator sees it":   {`"PUBLISH_COMPLETE"`, oneself, 0, schema.Found, schema.Internal, false, "publish_id"},
		"its name is beyond a float":       {`"PUBLISH_COMPLETE","publicaly_available_post_id":[7301234567890123457]`, everyone, 0, schema.Found, schema.Internal, false, "7301234567890123457"},
		"its name is a text":               {`"PUBLISH_COMPLETE","publicaly_available_post_id":["7301234567890123457"]`, everyone, 0, schema.Found, schema.Internal, false, "7301234567890123457"},
		"it has failed for good":           {`"FAILED","fail_reason":"duration_check_failed"`, everyone, 0, schema.NotThere, schema.Refused, false, ""},
		"it has failed, and may not again": {`"FAILED","fail_reason":"internal"`, everyone, 0, schema.NotThere, schema.Internal, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			d := r.prepare(t, r.delivery("look", short))
			d.Settings, d.Since = []byte(`{"privacy":"`+tt.privacy+`"}`), r.Clock()
			r.Pass(tt.after)
			r.Inject(t, saysStatus(tt.body))
			receipt, verdict, err := r.Find(t.Context(), d)
			want := tt.id
			if want == "publish_id" {
				want = stateOf(t, d).ID
			}
			if verdict != tt.want || receipt.Open != tt.open || receipt.NativeID != want || schema.KindOf(err) != tt.kind || (err == nil) != (tt.kind == schema.Internal) {
				t.Errorf("Find = %+v, %v, %v", receipt, verdict, err)
			}
		})
	}
}

// A video that is published has not failed because it was not named by the time the post may be late.
func TestAVideoIsPublishedThoughItIsNotNamedInTime(t *testing.T) {
	r := newRig(t)
	d := r.prepare(t, r.delivery("look", short))
	d.Settings, d.Since, d.Until = []byte(`{"privacy":"`+everyone+`"}`), r.Clock(), r.Clock()
	r.Inject(t, saysStatus(`"PUBLISH_COMPLETE"`))
	if receipt, verdict, err := r.Find(t.Context(), d); verdict != schema.Found || receipt.Open || err != nil {
		t.Errorf("Find = %+v, %v, %v; want it published", receipt, verdict, err)
	}
}

// A publication that was answered for is not taken for one that never was, however slow TikTok
// counts; one whose id nobody knows cannot be told of.
func TestAPublicationThatWasAnsweredFor(t *testing.T) {
	r := newRig(t)
	d := r.prepare(t, r.delivery("look", short))
	d.Receipts = []schema.Receipt{{NativeID: stateOf(t, d).ID, PostedAt: r.Clock(), Open: true}}
	r.Inject(t, saysUploaded("0"))
	if receipt, verdict, err := r.Find(t.Context(), d); verdict != schema.Found || !receipt.Open || err != nil {
		t.Errorf("Find = %+v, %v, %v", receipt, verdict, err)
	}
	d.Progress = nil
	r.Inject(t, saysUploaded("0"))
	if receipt, verdict, err := r.Find(t.Context(), d); verdict != schema.Found || !receipt.Open || err != nil {
		t.Errorf("Find by the receipt = %+v, %v, %v", receipt, verdict, err)
	}
	d.Receipts = nil
	if _, verdict, err := r.Find(t.Context(), d); verdict != schema.CannotTell || err != nil {
		t.Errorf("Find without an id = %v, %v", verdict, err)
	}
}

// A token that may not look may publish all the same: a refusal of a look is no end.
func TestARefusedLookIsNoEnd(t *testing.T) {
	r := newRig(t)
	d := r.prepare(t, r.delivery("look", short))
	r.Inject(t, simulation.Fault{Operation: simStatus, Status: 401, Body: `{"error":{"code":"scope_not_authorized","message":"no"}}`})
	_, verdict, err := r.Find(t.Context(), d)
	if e := connectortest.WantKind(t, err, schema.Refused); verdict != schema.CannotTell || e.End != schema.NotEnded {
		t.Errorf("Find = %v, %v", verdict, err)
	}
}

// What TikTok says of an account is kept with it, and holds its posts from then on.
func TestAnAccountIsHeldToWhatItMayPublish(t *testing.T) {
	r := newRig(t)
	profile, err := r.Check(t.Context(), schema.Account{}, schema.Credentials{AccessToken: "private-creator"})
	if err != nil || string(profile.Settings) !=
		`{"privacy":["FOLLOWER_OF_CREATOR","MUTUAL_FOLLOW_FRIENDS","SELF_ONLY"],"interactions":["comment"],"maxVideoSeconds":["600"]}` {
		t.Fatalf("Check = %s, %v", profile.Settings, err)
	}
	account := schema.Account{Platform: schema.TikTok, Settings: profile.Settings}
	own := Constraints().For(&account)
	for name, tt := range map[string]struct{ settings, want string }{
		"what is turned off":             {`{"privacy":"SELF_ONLY","disableDuet":false}`, "privacy setting_private, disableDuet setting_not_enabled"},
		"what is turned off, and on":     {`{"privacy":"SELF_ONLY","disableDuet":true,"disableComment":false}`, "privacy setting_private"},
		"no settings":                    {``, "privacy setting_required"},
		"of another form":                {`{"privacy":"SELF_ONLY","disableDuet":"no"}`, "disableDuet setting_invalid"},
		"a cover before the beginning":   {`{"privacy":"FOLLOWER_OF_CREATOR","videoCoverTimestampMs":-1}`, "videoCoverTimestampMs setting_invalid"},
		"disclosures that are no switch": {`{"privacy":"FOLLOWER_OF_CREATOR","brandOrganicToggle":1,"isAigc":null}`, "brandOrganicToggle setting_invalid, isAigc setting_invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range own.Settings(json.RawMessage(tt.settings)) {
				got = append(got, d.Field+" "+d.Code)
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
	account.Settings = []byte(`{"privacy":["SELF_ONLY"],"interactions":[],"maxVideoSeconds":["60"]}`)
	film := schema.MediaFacts{Kind: schema.Video, Type: "video/mp4", Width: 1080, Height: 1920, Duration: 61 * time.Second}
	if details := validation.CheckMedia(Constraints().For(&account).Media, schema.TikTok, film); len(details) != 1 || details[0].Code != validation.CodeMediaTooLong {
		t.Errorf("a video longer than the account may publish: %+v", details)
	}
	if details := validation.CheckMedia(Constraints().Media, schema.TikTok, film); len(details) != 0 {
		t.Errorf("and of an account that is not known: %+v", details)
	}
}

func TestBrandedContentIsNotPrivate(t *testing.T) {
	for settings, want := range map[string]int{
		`{"privacy":"SELF_ONLY","brandContentToggle":true}`: 1, `{"privacy":"SELF_ONLY","brandOrganicToggle":true}`: 0,
		`{"privacy":"PUBLIC_TO_EVERYONE","brandContentToggle":true}`: 0, `{"privacy":1}`: 0, ``: 0,
	} {
		if got := Constraints().Together(schema.Entry{}, json.RawMessage(settings)); len(got) != want {
			t.Errorf("%s: %+v", settings, got)
		}
	}
}

// What is not known of a creator keeps nobody from connecting; that they may not publish does.
func TestConnectingWhatMayNotPublish(t *testing.T) {
	for name, tt := range map[string]struct {
		fault simulation.Fault
		kind  schema.ErrorKind // Internal: it connects
	}{
		"the scope is missing": {simulation.Fault{Operation: simCreator, Status: 401, Body: `{"error":{"code":"scope_not_authorized","message":"no"}}`}, schema.TokenDead},
		"TikTok fails":         {simulation.Fault{Operation: simCreator, Status: 500}, schema.Internal},
		"the day is full":      {simulation.Fault{Operation: simCreator, Status: 200, Body: `{"data":{},"error":{"code":"spam_risk_too_many_posts","message":"no"}}`}, schema.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.Inject(t, tt.fault)
			profile, err := r.Check(t.Context(), schema.Account{}, schema.Credentials{AccessToken: token})
			if schema.KindOf(err) != tt.kind || err == nil && (profile.NativeID == "" || profile.Settings != nil) {
				t.Errorf("Check = %+v, %v", profile, err)
			}
		})
	}
}

// What waits for the turn to be begun asks nothing meanwhile.
func TestACreatorIsAskedForWhatIsBegun(t *testing.T) {
	r := newRig(t)
	r.limits = Limits()
	r.restart(t)
	d := r.delivery("look", short)
	for n := range 4 {
		_, err := r.Prepare(t.Context(), d)
		if n < 3 && err != nil {
			t.Fatalf("Prepare: %v", err)
		}
		if n == 3 && connectortest.WantKind(t, err, schema.RateLimited).RetryAfter != limitWait/3 {
			t.Errorf("error %v", err)
		}
	}
	if creators, begun := r.World.Calls(simCreator), r.World.Calls(simInit); creators != 3 || begun != 3 {
		t.Errorf("%d creators were asked for, %d videos begun", creators, begun)
	}

	again := newRig(t)
	again.Inject(t, simulation.Fault{Operation: simInit, Status: http.StatusTooManyRequests, Body: `{"data":{},"error":{"code":"rate_limit_exceeded","message":"slower","log_id":"1"}}`})
	d = again.delivery("look", short)
	for range 3 {
		_, err := again.Prepare(t.Context(), d)
		if connectortest.WantKind(t, err, schema.RateLimited).RetryAfter != limitWait {
			t.Errorf("error %v", err)
		}
	}
	if creators := again.World.Calls(simCreator); creators != 1 {
		t.Errorf("%d creators were asked for after TikTok wants no more videos for a minute", creators)
	}
}

// More videos than an account may begin in a minute wait, and are published all the same.
func TestLimitsOfAMinute(t *testing.T) {
	r := newRig(t)
	for n := range 8 {
		d := r.prepare(t, r.delivery("look", short))
		r.publish(t, d)
		if calls := r.World.Calls(simInit); n < 6 && calls != n+1 {
			t.Fatalf("%d beginnings of %d videos", calls, n+1)
		}
	}
	if posts := r.World.Posts(); len(posts) != 8 || posts[7].CreatedAt.Sub(posts[0].CreatedAt) < limitWait/2 {
		t.Errorf("%d posts", len(posts))
	}
	if !slices.IsSortedFunc(r.World.Posts(), func(a, b simulation.Post) int { return a.CreatedAt.Compare(b.CreatedAt) }) {
		t.Error("out of order")
	}
}
