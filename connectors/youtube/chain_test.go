package youtube

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	simulator "crier/connectors/simulators/youtube"
	"crier/schema"
)

// The calls of a session, as the simulator names them.
const (
	insert  = "POST /upload/youtube/v3/videos"
	part    = "PUT session part"
	end     = "PUT session end"
	queried = "PUT session status"
	comment = "POST /youtube/v3/commentThreads"
)

// faults are what may become of any call.
func faults(call string) map[string]simulation.Fault {
	return map[string]simulation.Fault{
		"answer lost": {Operation: call, Lose: true}, "never arrived": {Operation: call, Refuse: true}, "500": {Operation: call, Status: 500},
	}
}

// A lost answer of any call before the visible one leads to one video all the same, and to none
// of its bytes twice.
func TestALostAnswerOfEachCall(t *testing.T) {
	for _, call := range []string{insert, part, queried} {
		for name, fault := range faults(call) {
			t.Run(call+" "+name, func(t *testing.T) {
				r := newRig(t)
				if call == queried { // which is asked after a fault alone
					r.Inject(t, simulation.Fault{Operation: part, Lose: true})
				}
				r.Inject(t, fault)
				r.publish(t, r.delivery(""))
				r.video(t)
				sessions, parts := 1, 3
				switch {
				case call == insert:
					sessions = 2
				case call == part && name != "answer lost":
					parts = 4
				}
				if got := r.World.Calls(insert); got != sessions {
					t.Errorf("%d sessions, want %d", got, sessions)
				}
				if got := r.World.Calls(part); got != parts {
					t.Errorf("%d parts, want %d", got, parts)
				}
			})
		}
	}
}

// What gets further before it is cut off says so, once for each part: a session that is begun again
// has to get further than the one before it.
func TestAnUploadSaysThatItGotFurther(t *testing.T) {
	r := newRig(t)
	d := r.delivery("")
	for i, step := range []struct {
		fault    simulation.Fault
		advanced bool
	}{
		{simulation.Fault{Operation: part, Refuse: true}, false},
		{simulation.Fault{Operation: part, Lose: true}, false}, // which is known from the next look on
		{simulation.Fault{Operation: part, Refuse: true}, true},
		{simulation.Fault{Operation: part, Refuse: true}, false},
		{simulation.Fault{Operation: queried, Status: http.StatusNotFound, Header: map[string]string{uploader: "1"}}, true},
	} {
		r.Inject(t, step.fault)
		p, err := r.Prepare(t.Context(), d)
		if p.Advanced != step.advanced {
			t.Fatalf("call %d: advanced is %t, %v", i+1, p.Advanced, err)
		}
		d.Progress = p.State
	}
}

// A lost answer of the visible call is looked for by the session: what it made is found, what it
// did not make is not there, and sent again.
func TestALostAnswerOfTheVisibleCall(t *testing.T) {
	for name, fault := range faults(end) {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.prepare(t, r.delivery(""))
			r.Inject(t, fault)
			_, err := r.Publish(t.Context(), d)
			connectortest.WantKind(t, err, schema.Unknown)
			want := schema.NotMade
			if fault.Lose {
				want = schema.Found
			}
			for range 2 {
				r.restart(t)
				receipt, verdict, err := r.Find(t.Context(), d)
				if verdict != want || err != nil || verdict == schema.Found && (!receipt.Open || receipt.NativeID != r.World.Posts()[0].ID) {
					t.Fatalf("Find = %+v, %v, %v; want %v", receipt, verdict, err, want)
				}
			}
			d.Attempts = 1
			receipt, err := r.Publish(t.Context(), d)
			if err != nil || receipt.NativeID != r.World.Posts()[0].ID {
				t.Fatalf("Publish = %+v, %v", receipt, err)
			}
			r.video(t)
		})
	}
}

func TestALostAnswerOfAComment(t *testing.T) {
	r := newRig(t)
	d := r.publish(t, r.delivery(""))
	d.Comment = &schema.Comment{Text: "first"}
	r.Inject(t, simulation.Fault{Operation: comment, Refuse: true})
	_, err := r.Comment(t.Context(), d)
	connectortest.WantKind(t, err, schema.Unknown)
	if _, verdict, err := r.Find(t.Context(), d); verdict != schema.NotThere || err != nil {
		t.Fatalf("Find = %v, %v", verdict, err)
	}
	r.Inject(t, simulation.Fault{ // as all comments met in outages
		Operation: comment, Status: http.StatusBadRequest, Body: `{"error":{"code":400,"message":"m","errors":[{"reason":"processingFailure"}]}}`,
	})
	_, err = r.Comment(t.Context(), d)
	connectortest.WantKind(t, err, schema.Unknown)
	r.Inject(t, simulation.Fault{Operation: comment, Lose: true})
	_, err = r.Comment(t.Context(), d)
	connectortest.WantKind(t, err, schema.Unknown)
	receipt, verdict, err := r.Find(t.Context(), d)
	if verdict != schema.Found || err != nil || receipt.NativeID != r.World.Posts()[1].ID || !strings.Contains(receipt.URL, "&lc="+receipt.NativeID) {
		t.Fatalf("Find = %+v, %v, %v", receipt, verdict, err)
	}
}

// A comment or a reply that YouTube lists some minutes after it has made it is found, not made
// again.
func TestACommentThatIsListedLate(t *testing.T) {
	for name, operation := range map[string]string{"a first comment": "commentThreads", "a reply": "comments"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.publish(t, r.delivery(""))
			d.Comment = &schema.Comment{Text: "first"}
			call, look := r.Comment, r.Find
			d.DescribeComment(schema.Content{Entries: []schema.Entry{{}}}, Constraints())
			if operation == "comments" {
				remark := r.World.Say(simulation.Remark{Account: r.World.Posts()[0].Account, Under: r.World.Posts()[0].ID, Text: "hello?"})
				d.Comment.ReplyTo = &schema.ReplyTo{NativeID: "UgS" + remark.ID, Post: remark.Under}
				call, look = r.Reply, r.FindReply
				d.DescribeReply(Constraints())
			}
			r.Pass(6 * time.Hour) // in which YouTube took no calls
			r.Inject(t, simulation.Fault{Operation: "POST /youtube/v3/" + operation, Lose: true})
			_, err := call(t.Context(), d)
			connectortest.WantKind(t, err, schema.Unknown)
			r.Inject(t, simulation.Fault{Operation: "GET /youtube/v3/" + operation, Status: http.StatusOK, Times: 5, Body: `{"kind":"youtube#ListResponse","items":[]}`})
			found := connectortest.Settle(t, d, func() (schema.Receipt, schema.Verdict, error) { return look(t.Context(), d) }, r.Pass)
			if !found || len(r.World.Posts()) != 2 {
				t.Errorf("it may be made again: found is %t of %d posts", found, len(r.World.Posts()))
			}
		})
	}
}

// A session that YouTube has forgotten: before the end was sent the upload begins again; after it
// the channel's uploads tell, once they surely show the video: long after its first claim, too.
func TestASessionThatIsForgotten(t *testing.T) {
	const week = 8 * 24 * time.Hour
	t.Run("while it uploads", func(t *testing.T) {
		r := newRig(t)
		d := r.delivery("")
		r.Inject(t, simulation.Fault{Operation: part, Refuse: true})
		p, err := r.Prepare(t.Context(), d)
		connectortest.WantKind(t, err, schema.Retryable)
		d.Progress = p.State
		r.Pass(week)
		r.publish(t, d)
		r.video(t)
	})
	t.Run("before its end", func(t *testing.T) {
		r := newRig(t)
		d := r.prepare(t, r.delivery(""))
		r.Pass(week)
		for _, d.Attempts = range []int{0, 1} {
			_, err := r.Publish(t.Context(), d)
			if e := connectortest.WantKind(t, err, schema.Retryable); !e.Unprepared {
				t.Errorf("%v keeps what was prepared", e)
			}
		}
		d.Progress = nil
		r.publish(t, d)
		r.video(t)
	})
	for name, lose := range map[string]bool{"after its end": true, "after an end that did not arrive": false} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.prepare(t, r.delivery(""))
			d.Listed = Constraints().Listing.Within
			r.Pass(6 * time.Hour) // in which YouTube took no calls
			r.Inject(t, simulation.Fault{Operation: end, Lose: lose, Refuse: !lose})
			_, err := r.Publish(t.Context(), d)
			connectortest.WantKind(t, err, schema.Unknown)
			r.Inject(t, simulation.Fault{Operation: queried, Status: http.StatusNotFound, Times: 20, Header: map[string]string{uploader: "x"}, Body: "Not Found"})
			r.Inject(t, simulation.Fault{Operation: "GET /youtube/v3/playlistItems", Status: http.StatusOK, Times: 5, Body: `{"kind":"youtube#playlistItemListResponse","items":[]}`})
			began := r.Clock()
			found := connectortest.Settle(t, d, func() (schema.Receipt, schema.Verdict, error) { return r.Find(t.Context(), d) }, r.Pass)
			if waited := r.Clock().Sub(began); found != lose || !found && waited < listed {
				t.Errorf("found is %t after %v", found, waited)
			}
		})
	}
}

// An end of which YouTube got a part goes on behind it.
func TestAnEndThatArrivedInPart(t *testing.T) {
	r := newRig(t)
	d := r.prepare(t, r.delivery(""))
	r.Inject(t, simulation.Fault{Operation: end, Status: statusResume, Header: map[string]string{"Range": "bytes=0-99"}})
	_, err := r.Publish(t.Context(), d)
	if e := connectortest.WantKind(t, err, schema.Retryable); e.Unprepared {
		t.Error("an upload that is there begins again")
	}
	d.Attempts = 1
	r.Inject(t, simulation.Fault{Operation: queried, Status: statusResume, Header: map[string]string{"Range": "bytes=0-99"}})
	_, err = r.Publish(t.Context(), d)
	if e := connectortest.WantKind(t, err, schema.Retryable); !e.Unprepared {
		t.Errorf("what YouTube has lost is not uploaded again: %v", e)
	}
	if _, err := r.Publish(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	r.video(t)
}

// A session may have all of a video and not say as what: the video may be there all the same
// (github.com/claudiob/yt, issue 192), so that nothing else is uploaded for it.
func TestASessionThatHasAllAndDoesNotSayAsWhat(t *testing.T) {
	full := simulation.Fault{Status: statusResume, Header: map[string]string{"Range": fmt.Sprintf("bytes=0-%d", filmSize-1)}, Times: 20}
	for name, tt := range map[string]struct {
		isListed bool
		want     schema.Verdict
	}{
		"it is listed": {true, schema.Found}, "it is not listed": {false, schema.CannotTell},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.prepare(t, r.delivery(""))
			r.Inject(t, simulation.Fault{Operation: end, Lose: tt.isListed, Refuse: !tt.isListed})
			_, err := r.Publish(t.Context(), d)
			connectortest.WantKind(t, err, schema.Unknown)
			full.Operation = queried
			r.Inject(t, full)
			receipt, verdict, err := r.Find(t.Context(), d)
			if verdict != tt.want || verdict == schema.Found && receipt.NativeID != r.World.Posts()[0].ID {
				t.Errorf("Find = %+v, %v, %v", receipt, verdict, err)
			}
			if verdict == schema.CannotTell {
				connectortest.WantKind(t, err, schema.Retryable)
				r.Inject(t, simulation.Fault{
					Operation: "GET /youtube/v3/playlistItems", Status: http.StatusForbidden,
					Body: `{"error":{"code":403,"message":"spent","errors":[{"reason":"quotaExceeded","domain":"youtube.quota"}]}}`,
				})
				if _, _, err = r.Find(t.Context(), d); connectortest.WantKind(t, err, schema.Retryable).RetryAfter > schema.SettleTime {
					t.Errorf("the session is not asked until the list may be: %v", err)
				}
				r.Pass(24 * time.Hour)
				accepted := d
				accepted.AcceptDuplicate, accepted.Unsettled = true, accepted.Unsettled.With(0)
				if _, verdict, err := r.Find(t.Context(), accepted); verdict != schema.CannotTell || err != nil {
					t.Errorf("who accepts a second video waits on: %v, %v", verdict, err)
				}
				over := d
				over.Step, over.Entries, over.Until = schema.StepFind, 1, r.Clock()
				_, verdict, err = r.Find(t.Context(), over)
				if ended := over.After(schema.Outcome{Verdict: verdict, Err: known(err)}, r.Clock(), 0); ended.Error == nil || !strings.Contains(ended.Error.Message, "acceptDuplicate") {
					t.Errorf("who gets no answer in time is told %+v", ended.Error)
				}
			}
			d.Attempts = 1
			_, err = r.Publish(t.Context(), d)
			connectortest.WantKind(t, err, schema.Unknown)
		})
	}
	t.Run("to its end", func(t *testing.T) {
		r := newRig(t)
		d := r.prepare(t, r.delivery(""))
		full.Operation, full.Times = end, 1
		r.Inject(t, full)
		_, err := r.Publish(t.Context(), d)
		connectortest.WantKind(t, err, schema.Unknown)
	})
}

// known is an error of a look as the pipeline takes it.
func known(err error) *schema.Error {
	e, _ := errors.AsType[*schema.Error](err)
	return e
}

// A file that has become another under its address is no end of the first one.
func TestAFileThatChanged(t *testing.T) {
	r := newRig(t)
	d := r.delivery("")
	r.Inject(t, simulation.Fault{Operation: part, Refuse: true})
	p, err := r.Prepare(t.Context(), d)
	connectortest.WantKind(t, err, schema.Retryable)
	d.Progress, r.files.size = p.State, filmSize+1
	r.publish(t, d)
	if got := r.World.Posts()[0].Media[0].Size; got != filmSize+1 || r.World.Calls(insert) != 2 {
		t.Errorf("a video of %d bytes after %d sessions", got, r.World.Calls(insert))
	}
}

// The session of a large file is kept before any of it is sent.
func TestALargeUploadIsKeptFirst(t *testing.T) {
	r := newRig(t)
	d := r.delivery("")
	d.Media[0].MediaID, r.files.size = schema.NewID[schema.MediaID](r.Clock()), large+1
	p, err := r.Prepare(t.Context(), d)
	if err != nil || p.Ready || p.RetryIn <= 0 || r.World.Calls(insert) != 1 || r.World.Calls(part) != 0 {
		t.Fatalf("Prepare = %+v, %v after %d parts", p, err, r.World.Calls(part))
	}
	d.Progress, r.partSize = p.State, usualPart
	if p, err = r.Prepare(t.Context(), d); err != nil || !p.Ready || r.World.Calls(insert) != 1 || r.World.Calls(part) != 2 {
		t.Errorf("Prepare = %+v, %v after %d sessions and %d parts", p.Ready, err, r.World.Calls(insert), r.World.Calls(part))
	}
}

func TestProcessingIsClosed(t *testing.T) {
	fault := func(status string) simulation.Fault {
		return simulation.Fault{Operation: "GET /youtube/v3/videos", Status: http.StatusOK, Body: `{"kind":"youtube#videoListResponse","items":[{"id":"x","status":` + status + `}]}`}
	}
	for name, tt := range map[string]struct {
		fault   simulation.Fault
		after   time.Duration
		verdict schema.Verdict
		open    bool
		says    string // of the error
	}{
		"processed":         {after: time.Minute, verdict: schema.Found},
		"locked":            {fault: fault(`{"uploadStatus":"processed","privacyStatus":"private"}`), verdict: schema.Found, says: "YouTube has made it private"},
		"not yet":           {verdict: schema.Found, open: true},
		"failed":            {fault: fault(`{"uploadStatus":"failed","failureReason":"codec"}`), verdict: schema.NotThere, says: "could not process the video: codec"},
		"failed after all":  {fault: fault(`{"uploadStatus":"uploaded"},"processingDetails":{"processingStatus":"failed","processingFailureReason":"transcodeFailed"}`), verdict: schema.NotThere, says: "could not process the video: transcodeFailed"},
		"details are over":  {fault: fault(`{"uploadStatus":"uploaded"},"processingDetails":{"processingStatus":"terminated"}`), verdict: schema.Found, open: true},
		"rejected":          {fault: fault(`{"uploadStatus":"rejected","rejectionReason":"duplicate"}`), verdict: schema.NotThere, says: "rejected the video: duplicate"},
		"deleted":           {fault: fault(`{"uploadStatus":"deleted"}`), verdict: schema.NotThere, says: "somebody has deleted it"},
		"nothing":           {fault: fault(`{}`), verdict: schema.CannotTell, says: "does not say how far"},
		"not shown yet":     {fault: simulation.Fault{Operation: "GET /youtube/v3/videos", Status: http.StatusOK, Body: `{"kind":"youtube#videoListResponse"}`}, verdict: schema.CannotTell, says: "does not show"},
		"not shown anymore": {fault: simulation.Fault{Operation: "GET /youtube/v3/videos", Status: http.StatusOK, Body: `{"kind":"youtube#videoListResponse"}`}, after: time.Hour, verdict: schema.NotThere, says: "somebody has deleted it"},
		"a page":            {fault: simulation.Fault{Operation: "GET /youtube/v3/videos", Status: http.StatusOK, Body: `{}`}, after: time.Hour, verdict: schema.CannotTell, says: "is no list"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.publish(t, r.delivery(""))
			r.Pass(tt.after)
			if tt.fault.Status != 0 {
				r.Inject(t, tt.fault)
			}
			receipt, verdict, err := r.Find(t.Context(), d)
			if verdict != tt.verdict || receipt.Open != tt.open {
				t.Errorf("Find = %+v, %v, %v", receipt, verdict, err)
			}
			if tt.says == "" && err != nil || tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("error %v, want %q", err, tt.says)
			}
		})
	}
}

func TestAVideoWhoseProcessingFailsIsNotWaitedFor(t *testing.T) {
	r := newRig(t)
	d := r.delivery("")
	d.Text = "look [crier:processing-failed]"
	d = r.publish(t, d)
	r.Pass(time.Minute)
	_, verdict, err := r.Find(t.Context(), d)
	if verdict != schema.NotThere || err == nil || !strings.Contains(err.Error(), "transcodeFailed") {
		t.Errorf("Find: %v, %v", verdict, err)
	}
}

func TestWhatAVideoHas(t *testing.T) {
	r := newRig(t)
	r.publish(t, r.delivery(`{"title":"A train","privacyStatus":"unlisted","tags":["steam","old trains"],"categoryId":"2","defaultLanguage":"en","defaultAudioLanguage":"en-GB",
		"selfDeclaredMadeForKids":true,"containsSyntheticMedia":true,"hasPaidProductPlacement":true,"license":"creativeCommon","embeddable":false,"publicStatsViewable":false,"notifySubscribers":false}`))
	video := r.video(t)
	if video.Title != "A train" || video.Visibility != "unlisted" || video.Text != "arrives" ||
		strings.Join(video.Labels, ", ") != "made for kids, altered or synthetic content, includes paid promotion, tag steam, tag old trains" {
		t.Errorf("shown as %+v", video)
	}
}

// A thumbnail and a place in playlists follow once the video is there; a lost answer leads to
// them once.
func TestALostAnswerOfWhatFollows(t *testing.T) {
	lists := simulator.Playlists(token)
	settings := `{"title":"A train","thumbnailUrl":"http://a.example/picture","playlistIds":["` + lists[0] + `","` + lists[1] + `"]}`
	want := "own thumbnail, in " + lists[0] + ", in " + lists[1]
	for _, call := range []string{"POST /upload/youtube/v3/thumbnails/set", "POST /youtube/v3/playlistItems", "GET /youtube/v3/playlistItems", "GET /youtube/v3/videos"} {
		for name, fault := range faults(call) {
			t.Run(call+" "+name, func(t *testing.T) {
				r := newRig(t)
				d := r.publish(t, r.delivery(settings))
				r.Inject(t, fault)
				if lacks := r.closed(t, d); lacks != "" {
					t.Error(lacks)
				}
				if got := strings.Join(r.video(t).Labels, ", "); got != want {
					t.Errorf("shown with %s, want %s", got, want)
				}
			})
		}
	}
}

// What is refused, or fails for too long, is done without, and said.
func TestWhatFollowsIsRefused(t *testing.T) {
	lists := simulator.Playlists(token)
	settings := `{"title":"A train","thumbnailUrl":"http://a.example/picture","playlistIds":["` + lists[0] + `"]}`
	for name, tt := range map[string]struct {
		fault simulation.Fault
		want  string
	}{
		"at once":            {simulation.Fault{Operation: "POST /upload/youtube/v3/thumbnails/set", Status: 403, Body: `{"error":{"code":403,"message":"not verified"}}`}, "not verified"},
		"a playlist at once": {simulation.Fault{Operation: "POST /youtube/v3/playlistItems", Status: 403, Body: `{"error":{"code":403,"message":"it is full"}}`}, "it is full"},
		"not known for an hour": {simulation.Fault{Operation: "POST /youtube/v3/playlistItems", Status: 404, Times: 1000,
			Body: `{"error":{"code":404,"message":"Video not found.","errors":[{"reason":"videoNotFound"}]}}`}, "Video not found"},
		"for an hour": {simulation.Fault{Operation: "POST /upload/youtube/v3/thumbnails/set", Status: 500, Times: 1000}, "currently unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.publish(t, r.delivery(settings))
			r.Inject(t, tt.fault)
			if tt.fault.Times > 0 {
				r.Pass(longestExtra)
			}
			if lacks := r.closed(t, d); !strings.Contains(lacks, tt.want) {
				t.Errorf("%q is told, want %q", lacks, tt.want)
			}
			if len(r.video(t).Labels) != 1 {
				t.Errorf("shown as %+v", r.video(t))
			}
		})
	}
}

// A video of a moment ago is not known everywhere (porjo/youtubeuploader #88, where it had its place all the
// same; tokland/youtube-upload #305): it gets its place once.
func TestAFreshVideoThatIsNotKnown(t *testing.T) {
	list := simulator.Playlists(token)[0]
	for name, hasPlace := range map[string]bool{"and has no place": false, "and has its place": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.publish(t, r.delivery(`{"title":"A train","playlistIds":["`+list+`"]}`))
			unknown := simulation.Fault{Operation: "POST /youtube/v3/playlistItems", Status: http.StatusNotFound,
				Body: `{"error":{"code":404,"message":"Video not found.","errors":[{"reason":"videoNotFound"}]}}`}
			if hasPlace { // the answer is lost, which is as good
				unknown = simulation.Fault{Operation: "POST /youtube/v3/playlistItems", Lose: true}
			}
			r.Inject(t, unknown)
			if lacks := r.closed(t, d); lacks != "" {
				t.Error(lacks)
			}
			if got := strings.Join(r.video(t).Labels, ", "); got != "in "+list {
				t.Errorf("shown with %s", got)
			}
		})
	}
}

// What cannot follow is refused before anything is uploaded.
func TestWhatCannotFollow(t *testing.T) {
	for name, tt := range map[string]struct{ settings, says string }{
		"a playlist of nobody":         {`{"title":"t","playlistIds":["PLxxxxxxxxxx"]}`, "has no playlist PLxxxxxxxxxx"},
		"a playlist of somebody":       {`{"title":"t","playlistIds":["` + simulator.Playlists("another")[0] + `"]}`, "has no playlist"},
		"a thumbnail that is animated": {`{"title":"t","thumbnailUrl":"http://a.example/moving"}`, "image/gif"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			_, err := r.Prepare(t.Context(), r.delivery(tt.settings))
			if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, tt.says) || r.World.Calls(insert) != 0 {
				t.Errorf("%v after %d sessions", e, r.World.Calls(insert))
			}
		})
	}
	r := newRig(t)
	d := r.delivery("")
	d.Account.Settings, d.Media[0].URL = settingsOfChannel("eligible"), "epic"
	_, err := r.Prepare(t.Context(), d)
	connectortest.WantKind(t, err, schema.Refused)
}

func TestAMediaServerThatFails(t *testing.T) {
	r := newRig(t)
	r.files.failWith(&schema.Error{Kind: schema.Retryable, Message: "gone"})
	_, err := r.Prepare(t.Context(), r.delivery(""))
	connectortest.WantKind(t, err, schema.Retryable)
	if r.World.Calls(insert) != 0 {
		t.Error("an upload was begun")
	}
}

// A session that somebody else's answer names gets no bytes and no token.
func TestASessionElsewhere(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: insert, Status: http.StatusOK, Header: map[string]string{"Location": "https://elsewhere.example/upload"}})
	_, err := r.Prepare(t.Context(), r.delivery(""))
	connectortest.WantKind(t, err, schema.Retryable)
	c := New(connectors.Parts{})
	for address, own := range map[string]bool{
		"https://youtube.googleapis.com/upload?upload_id=1": true, "https://www.googleapis.com/upload": true,
		"http://www.googleapis.com/upload": false, "https://googleapis.com.example/upload": false, "": false, "/upload": false,
	} {
		if c.isOwn(address) != own {
			t.Errorf("isOwn(%q) = %t", address, !own)
		}
	}
}

var _ connectors.Connector = (*Connector)(nil)

// A thumbnail that is set before a Short is processed is lost without a word (YouTube's revision history,
// 3 November 2026): its upload ends before its processing does.
func TestTheThumbnailOfAShortWaitsForItsProcessing(t *testing.T) {
	const set = "POST /upload/youtube/v3/thumbnails/set"
	for name, tt := range map[string]struct {
		facts *schema.MediaFacts
		waits bool
	}{
		"of a Short":                    {&schema.MediaFacts{Kind: schema.Video, Width: 1080, Height: 1920, Duration: time.Minute}, true},
		"of a video that nobody probed": {nil, true},
		"of a landscape":                {&schema.MediaFacts{Kind: schema.Video, Width: 1920, Height: 1080, Duration: time.Minute}, false},
		"of a long one":                 {&schema.MediaFacts{Kind: schema.Video, Width: 1080, Height: 1920, Duration: time.Hour}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.publish(t, r.delivery(`{"title":"A train","thumbnailUrl":"http://a.example/picture"}`))
			d.Media[0].Facts = tt.facts
			r.Inject(t, simulation.Fault{
				Operation: "GET /youtube/v3/videos", Status: http.StatusOK,
				Body: `{"kind":"youtube#videoListResponse","items":[{"id":"` + d.Receipts[0].NativeID + `","status":{"uploadStatus":"processed"},"processingDetails":{"processingStatus":"processing"}}]}`,
			})
			r.Pass(time.Minute)
			receipt, verdict, err := r.Find(t.Context(), d)
			if verdict != schema.Found || err != nil || receipt.Open != tt.waits || r.World.Calls(set) == 0 != tt.waits {
				t.Fatalf("Find = %+v, %v, %v after %d thumbnails", receipt, verdict, err, r.World.Calls(set))
			}
			d.Receipts = []schema.Receipt{receipt}
			if tt.waits {
				r.closed(t, d)
			}
			if n := r.World.Calls(set); n != 1 {
				t.Errorf("%d thumbnails", n)
			}
		})
	}
}
