package pinterest

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
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

// Pins are asked for as their media and settings say.
func TestPins(t *testing.T) {
	board, section := breadSection()
	firstBoard := own(0).EntityID
	for name, tt := range map[string]struct {
		settings, entity string
		media            []schema.Media
		want             string
	}{
		"a picture": {
			media: []schema.Media{picture},
			want:  `{"board_id":"$first","description":"look","alt_text":"a garden","media_source":{"source_type":"image_url","url":"https://example.com/picture"}}`,
		},
		"with everything, in a section of another board": {
			settings: `{"title":"A title","link":"https://example.com/x","dominantColor":"#6E7874","boardId":"$board","boardSectionId":"$section"}`,
			media:    []schema.Media{picture},
			want: `{"board_id":"$board","board_section_id":"$section","title":"A title","link":"https://example.com/x","dominant_color":"#6E7874",
				"description":"look","alt_text":"a garden","media_source":{"source_type":"image_url","url":"https://example.com/picture"}}`,
		},
		"of an account that is a section": {
			entity: "$board/$section", media: []schema.Media{picture},
			want: `{"board_id":"$board","board_section_id":"$section","description":"look","alt_text":"a garden",
				"media_source":{"source_type":"image_url","url":"https://example.com/picture"}}`,
		},
		"in a section of the account's board": {
			settings: `{"boardSectionId":"$section"}`, entity: "$board", media: []schema.Media{picture},
			want: `{"board_id":"$board","board_section_id":"$section","description":"look","alt_text":"a garden",
				"media_source":{"source_type":"image_url","url":"https://example.com/picture"}}`,
		},
		"a carousel": {
			media: []schema.Media{picture, another},
			want: `{"board_id":"$first","description":"look","alt_text":"a garden\na pond","media_source":{"source_type":"multiple_image_urls",
				"items":[{"url":"https://example.com/picture"},{"url":"https://example.com/another"}]}}`,
		},
		"a picture that was declared as a video": {
			media: []schema.Media{still},
			want:  `{"board_id":"$first","description":"look","media_source":{"source_type":"image_url","url":"https://example.com/picture"}}`,
		},
		"a video": {
			media: []schema.Media{film},
			want: `{"board_id":"$first","description":"look","alt_text":"a train arrives",
				"media_source":{"source_type":"video_id","media_id":"$media","cover_image_key_frame_time":1}}`,
		},
		"a video that was declared as a picture, from its beginning": {
			settings: `{"coverImageKeyFrameTime":0}`, media: []schema.Media{hidden},
			want: `{"board_id":"$first","description":"look","media_source":{"source_type":"video_id","media_id":"$media","cover_image_key_frame_time":0}}`,
		},
		"a video with a cover": {
			settings: `{"coverImageUrl":"https://example.com/cover.png"}`, media: []schema.Media{film},
			want: `{"board_id":"$first","description":"look","alt_text":"a train arrives",
				"media_source":{"source_type":"video_id","media_id":"$media","cover_image_url":"https://example.com/cover.png"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			named := strings.NewReplacer("$board", board, "$section", section, "$first", firstBoard)
			d := r.delivery(named.Replace(tt.settings), "look", tt.media...)
			if tt.entity != "" {
				d.Credentials.EntityID = named.Replace(tt.entity)
			}
			receipt := r.publish(t, d)
			post := r.World.Posts()[0]
			var want map[string]any
			text := strings.ReplaceAll(named.Replace(tt.want), "$media", post.Media[0].ID)
			if err := json.Unmarshal([]byte(text), &want); err != nil {
				t.Fatal(err)
			}
			if got := r.lastSent(); !reflect.DeepEqual(got, want) {
				t.Errorf("sent %v, want %v", got, want)
			}
			if receipt.NativeID != post.ID || receipt.URL != r.Base+"/pin/"+post.ID+"/" || !receipt.PostedAt.Equal(r.Clock()) {
				t.Errorf("receipt %+v of %+v", receipt, post)
			}
		})
	}
}

func TestWhatIsNoPin(t *testing.T) {
	for name, tt := range map[string]struct {
		media []schema.Media
		says  string
	}{
		"nothing":                  {nil, "needs a picture or a video"},
		"six pictures":             {[]schema.Media{picture, picture, picture, picture, picture, picture}, "at most 5 pictures"},
		"a picture and a video":    {[]schema.Media{picture, film}, "pictures, or one video"},
		"a picture of wrong shape": {[]schema.Media{square}, "aspect ratio"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.delivery("", "look", tt.media...)
			p, err := r.Prepare(t.Context(), d)
			if err == nil {
				d.Progress = p.State
				_, err = r.Publish(t.Context(), d)
			}
			if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, tt.says) {
				t.Errorf("message %q", e.Message)
			}
			if r.World.Calls(callMedia)+r.World.Calls(callPin) != 0 {
				t.Error("Pinterest was asked")
			}
		})
	}
}

// A carousel wants pictures of one size (ayrshare.com/docs/media-guidelines/pinterest; Postiz refuses others).
func TestPicturesOfSeveralSizesAreWarnedAbout(t *testing.T) {
	item := func(width, height int) schema.Media {
		return schema.Media{Kind: schema.Image, MediaID: schema.MediaID{1}, Facts: &schema.MediaFacts{Kind: schema.Image, Type: "image/jpeg", Width: width, Height: height}}
	}
	for name, tt := range map[string]struct {
		items  []schema.Media
		warned bool
	}{
		"one":            {[]schema.Media{item(1000, 1500)}, false},
		"alike":          {[]schema.Media{item(1000, 1500), item(1000, 1500)}, false},
		"of two sizes":   {[]schema.Media{item(1000, 1500), item(1000, 1500), item(600, 900)}, true},
		"of unknown one": {[]schema.Media{item(1000, 1500), {Kind: schema.Image, URL: "https://example.com/a"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			content := schema.Content{Entries: []schema.Entry{{Text: "x", Media: tt.items}}}
			errors, warnings := validation.Check(content, []schema.Target{{Platform: schema.Pinterest}}, func(schema.Target) *schema.Constraints { return new(Constraints()) })
			isWarned := slices.ContainsFunc(warnings, func(d schema.Detail) bool { return d.Code == validation.CodeMediaSizesDiffer })
			if len(errors) > 0 || isWarned != tt.warned {
				t.Errorf("errors %v, warnings %v", errors, warnings)
			}
		})
	}
}

func TestAltTextsOfACarouselFitItsOne(t *testing.T) {
	long := schema.Media{AltText: strings.Repeat("é", 300)}
	got := []rune(altText([]schema.Media{long, {}, long}))
	if len(got) != maxAltText || got[300] != '\n' || got[len(got)-1] != '…' {
		t.Errorf("%d characters: %q", len(got), string(got))
	}
}

func TestSettings(t *testing.T) {
	constraints := Constraints()
	for name, tt := range map[string]struct {
		settings string
		media    []schema.Media
		want     string // the field that is wrong; empty: none
	}{
		"all of a picture's":       {`{"title":"t","link":"https://example.com","boardId":"1","boardSectionId":"2","dominantColor":"#aBcDeF"}`, []schema.Media{picture}, ""},
		"a cover of a video":       {`{"coverImageUrl":"https://example.com/a.jpg"}`, []schema.Media{film}, ""},
		"a moment of a video":      {`{"coverImageKeyFrameTime":0}`, []schema.Media{film}, ""},
		"a link that is none":      {`{"link":"example.com"}`, []schema.Media{picture}, "link"},
		"a link that is too long":  {`{"link":"https://example.com/` + strings.Repeat("x", 2048) + `"}`, []schema.Media{picture}, "link"},
		"a board by its name":      {`{"boardId":"garden"}`, []schema.Media{picture}, "boardId"},
		"a section by its name":    {`{"boardSectionId":"bread"}`, []schema.Media{picture}, "boardSectionId"},
		"a colour by its name":     {`{"dominantColor":"red"}`, []schema.Media{picture}, "dominantColor"},
		"a moment before a video":  {`{"coverImageKeyFrameTime":-1}`, []schema.Media{film}, "coverImageKeyFrameTime"},
		"a cover of a picture":     {`{"coverImageUrl":"https://example.com/a.jpg"}`, []schema.Media{picture}, "coverImageUrl"},
		"a moment of a picture":    {`{"coverImageKeyFrameTime":3}`, []schema.Media{picture}, "coverImageKeyFrameTime"},
		"a cover and a moment":     {`{"coverImageUrl":"https://example.com/a.jpg","coverImageKeyFrameTime":3}`, []schema.Media{film}, "coverImageKeyFrameTime"},
		"a cover that is no url":   {`{"coverImageUrl":"cover.jpg"}`, []schema.Media{film}, "coverImageUrl"},
		"a setting of no platform": {`{"pinColour":"red"}`, []schema.Media{picture}, "pinColour"},
	} {
		t.Run(name, func(t *testing.T) {
			details := append(constraints.Settings(json.RawMessage(tt.settings)), constraints.Together(schema.Entry{Media: tt.media}, json.RawMessage(tt.settings))...)
			if tt.want == "" && len(details) > 0 || tt.want != "" && (len(details) != 1 || details[0].Field != tt.want) {
				t.Errorf("details %+v, want %q", details, tt.want)
			}
		})
	}
}

// What Pinterest refuses a pin with, and what is made of it.
func TestRefusalsOfAPin(t *testing.T) {
	for name, tt := range map[string]struct {
		status         int
		body, settings string
		kind           schema.ErrorKind
		end            schema.End
		wait           time.Duration
	}{
		"an expired token":                {401, `{"code":2,"message":"Authentication failed."}`, "", schema.TokenDead, schema.NotEnded, 0},
		"a scope that is missing":         {401, `{"code":3,"message":"Your token does not have sufficient permissions"}`, "", schema.TokenDead, schema.EndScope, 0},
		"a scope that is forbidden":       {403, `{"code":3,"message":"Your token does not have sufficient permissions"}`, "", schema.TokenDead, schema.EndScope, 0},
		"the account's board is gone":     {404, `{"code":40,"message":"Board not found."}`, "", schema.TokenDead, schema.EndRemoved, 0},
		"another board is not there":      {404, `{"code":40,"message":"Board not found."}`, `{"boardId":"7"}`, schema.Refused, schema.NotEnded, 0},
		"a section is not there":          {404, `{"code":2031,"message":"Sorry! We couldn't find this board section."}`, `{"boardSectionId":"7"}`, schema.Refused, schema.NotEnded, 0},
		"a board that may not be used":    {403, `{"code":29,"message":"You are not permitted to access that resource."}`, "", schema.Refused, schema.NotEnded, 0},
		"a picture that was not fetched":  {400, `{"code":1,"message":"Sorry we could not fetch the image."}`, "", schema.Retryable, schema.NotEnded, fetchWait}, // Postiz #1931
		"an address that was not reached": {400, `{"code":1,"message":"Unable to reach the URL."}`, "", schema.Retryable, schema.NotEnded, fetchWait},
		"a block for spam":                {403, `{"code":403,"message":"You've hit one of the blocks (Pins) we have in place to combat spam."}`, "", schema.RateLimited, schema.NotEnded, spamWait},
		"a board that others change":      {409, `{"code":409,"message":"Could not get exclusive access to the board"}`, "", schema.Retryable, schema.NotEnded, conflictWait},
		"too many calls":                  {429, `{"code":8,"message":"This request exceeded a rate limit."}`, "", schema.RateLimited, schema.NotEnded, minuteWait},
		"a proxy's page":                  {404, `<html>`, "", schema.Refused, schema.NotEnded, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			d := r.prepare(t, r.delivery(tt.settings, "look", picture))
			r.Inject(t, simulation.Fault{Operation: callPin, Status: tt.status, Body: tt.body})
			_, err := r.Publish(t.Context(), d)
			if e := connectortest.WantKind(t, err, tt.kind); e.End != tt.end || e.RetryAfter != tt.wait {
				t.Errorf("end %v, wait %v; want %v, %v", e.End, e.RetryAfter, tt.end, tt.wait)
			}
		})
	}
}

func TestAPictureThatPinterestCannotFetchIsTriedAgain(t *testing.T) {
	r := newRig(t)
	gone := picture
	gone.URL += "/gone"
	d := r.prepare(t, r.delivery("", "look", gone))
	_, err := r.Publish(t.Context(), d)
	connectortest.WantKind(t, err, schema.Retryable)
}

// What writes is counted apart from what reads, and what a read of figures meets delays no look.
func TestALimitThrottlesWhatCountsAgainstIt(t *testing.T) {
	spent := simulation.Fault{Status: http.StatusTooManyRequests, Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "42"}, Body: `{"code":8,"message":"slower"}`}
	r := newRig(t)
	d := r.prepare(t, r.delivery(`{"title":"T"}`, "look", picture))
	look := func() error {
		_, _, err := r.Find(t.Context(), d)
		return err
	}
	pin := func() error {
		_, err := r.Publish(t.Context(), d)
		return err
	}
	read := func() error {
		_, err := r.Followers(t.Context(), connectors.Reading{Account: d.Account, Credentials: d.Credentials})
		return err
	}
	for _, tt := range []struct {
		spends string
		call   func() error
		goOn   []func() error
	}{
		{"GET /v5/boards/{board}", read, []func() error{look, pin}},
		{callPins, look, []func() error{pin}},
		{callPin, pin, []func() error{look, read}},
	} {
		spent.Operation = tt.spends
		r.Inject(t, spent)
		for range 2 { // once asked, once throttled
			connectortest.WantKind(t, tt.call(), schema.RateLimited)
		}
		for i, call := range tt.goOn {
			if err := call(); err != nil {
				t.Errorf("after %s, call %d: %v", tt.spends, i, err)
			}
		}
		r.Pass(time.Minute)
	}
	r.Inject(t, simulation.Fault{Operation: callPin, Status: http.StatusCreated, Header: spent.Header, Body: `{"id":"7"}`})
	if err := errors.Join(pin(), look(), read()); err != nil {
		t.Errorf("after the last pin: %v", err)
	}
	connectortest.WantKind(t, pin(), schema.RateLimited)
	if _, wait := r.client.Reserve(t.Context(), d.Account.ID, connectors.Post); wait < 40*time.Second {
		t.Errorf("the next pin is claimed in %v", wait)
	}
}

// The storage that a video is sent to counts nothing: a video that took the last registration of a
// minute is sent all the same, while the form for it is good.
func TestAVideoIsSentAfterTheLastWrite(t *testing.T) {
	r := newRig(t)
	d := r.delivery(`{"title":"T"}`, "look", film)
	begun, err := r.register(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(begun)
	if err != nil {
		t.Fatal(err)
	}
	spent := map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "42"}
	r.Inject(t, simulation.Fault{Operation: callMedia, Status: http.StatusCreated, Header: spent, Body: string(body)})
	if _, err := r.Prepare(t.Context(), d); err != nil || r.World.Calls(callUpload) != 1 {
		t.Errorf("Prepare = %v after %d uploads", err, r.World.Calls(callUpload))
	}
}

// After the last call of a limit the account waits, before Pinterest says so.
func TestTheLimitsOfTheHeadersAreKept(t *testing.T) {
	for name, tt := range map[string]struct {
		remaining, reset string
		want             time.Duration
	}{
		"some are left":  {"3", "42", 0},
		"none is left":   {"0", "42", 42 * time.Second},
		"several limits": {"0, 100;w=1", "42, 1", 42 * time.Second},
		"no time":        {"0", "", 0},
		"no number":      {"none", "soon", 0},
		"nothing":        {"", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			header := http.Header{}
			header.Set("X-RateLimit-Remaining", tt.remaining)
			header.Set("X-RateLimit-Reset", tt.reset)
			if got := Pace(header); got != tt.want {
				t.Errorf("Pace = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestAddressesOfPinterest(t *testing.T) {
	c := New(connectors.Parts{})
	if got := c.address("7"); got != "https://www.pinterest.com/pin/7/" {
		t.Errorf("address %s", got)
	}
	if got := c.look(schema.Account{}, schema.Credentials{}, "/boards", opBoards).URL; got != "https://api.pinterest.com/v5/boards" {
		t.Errorf("address %s", got)
	}
}
