package validation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"crier/schema"
	"crier/schema/validation"
)

// Platforms of the tests: each has the rules of its kind only.
const (
	short    = schema.Twitter   // 10 characters, 2 images or 1 video or GIF, threads, 5 in comments, a setting
	pictures = schema.Instagram // media always, 3 items mixed, 2 videos, 2 hashtags
	captions = schema.Telegram  // 10 characters, 4 beside media, no comments, no threads
	wordy    = schema.Bluesky   // text always, comments without a limit on the root only, threads
	papers   = schema.LinkedIn  // one item of any kind
)

func rules(p schema.Platform) schema.Constraints {
	text := schema.TextLimit{Max: 10, Count: utf8.RuneCountInString}
	c := schema.Constraints{Platform: p, Text: text}
	switch p {
	case short:
		c.Media = schema.MediaLimits{Max: 2, MaxVideos: 1, Kinds: []schema.MediaKind{schema.Image, schema.GIF, schema.Video}, VideoTypes: []string{"image/gif"}}
		c.FirstComment = schema.CommentLimit{Supported: true, Max: 5, Count: utf8.RuneCountInString}
		c.Thread = schema.ThreadLimit{Supported: true, Pause: time.Second}
		c.Text.Without = "<>"
		c.Settings = validation.SettingRules{
			"mode":  validation.EnumSetting("a", "b").Require(),
			"title": validation.TextSetting(schema.TextLimit{Max: 3, Without: "<", Count: utf8.RuneCountInString}),
		}.Check
	case pictures:
		c.Media = schema.MediaLimits{Required: true, Max: 3, MaxVideos: 2, Mixed: true, Kinds: []schema.MediaKind{schema.Image, schema.Video}}
		c.Hashtags = 2
	case captions:
		c.Caption = 4
		c.Media = schema.MediaLimits{Max: 2, MaxVideos: 2, Mixed: true, Kinds: []schema.MediaKind{schema.Image}}
	case wordy:
		c.Text.Required = true
		c.Media = schema.MediaLimits{Max: 4, MaxVideos: 1, Kinds: []schema.MediaKind{schema.Image}}
		c.FirstComment = schema.CommentLimit{Supported: true, RootOnly: true}
		c.Thread = schema.ThreadLimit{Supported: true}
	case papers:
		c.Media = schema.MediaLimits{Max: 1, MaxVideos: 1, Kinds: []schema.MediaKind{schema.Image, schema.Video, schema.PDF}}
	}
	return c
}

func ofPlatform(t schema.Target) *schema.Constraints { return new(rules(t.Platform)) }

func media(kinds ...schema.MediaKind) []schema.Media {
	var items []schema.Media
	for _, kind := range kinds {
		items = append(items, schema.Media{Kind: kind, URL: "https://example.com/" + string(kind)})
	}
	return items
}

func post(text string, items ...schema.Media) schema.Content {
	return schema.Content{
		Entries:  []schema.Entry{{Text: text, Media: items}},
		Settings: map[schema.Platform]json.RawMessage{short: json.RawMessage(`{"mode":"a"}`)},
	}
}

func thread(entries ...schema.Entry) schema.Content {
	c := post("")
	c.Entries, c.Thread = entries, &schema.ThreadConfig{}
	return c
}

func with(c schema.Content, change func(*schema.Content)) schema.Content {
	change(&c)
	return c
}

func settings(object string) schema.Content {
	return with(post("hello"), func(c *schema.Content) { c.Settings[short] = json.RawMessage(object) })
}

func commented(c schema.Content, comments ...schema.FirstComment) schema.Content {
	c.FirstComments = comments
	return c
}

func on(platforms ...schema.Platform) []schema.Target {
	var targets []schema.Target
	for _, p := range platforms {
		targets = append(targets, schema.Target{Platform: p})
	}
	return targets
}

func TestValidate(t *testing.T) {
	ten, eleven := strings.Repeat("é", 10), strings.Repeat("é", 11)
	image, gif, video, pdf := schema.Image, schema.GIF, schema.Video, schema.PDF
	for name, tt := range map[string]struct {
		content  schema.Content
		targets  []schema.Target
		errors   []string // field platform code, in order
		warnings []string
	}{
		"nothing wrong":                {content: post("hello"), targets: on(short, wordy, papers)},
		"a text at the limit":          {content: post(ten), targets: on(short)},
		"a text over it by one":        {content: post(eleven), targets: on(short), errors: []string{"content twitter text_too_long"}},
		"too long on two platforms":    {content: post(eleven), targets: on(short, wordy), errors: []string{"content twitter text_too_long", "content bluesky text_too_long"}},
		"two accounts of one platform": {content: post(eleven), targets: on(short, short), errors: []string{"content twitter text_too_long"}},
		"a target's own text": {
			content: post("hello"), targets: []schema.Target{{Platform: wordy}, {Platform: short, Content: eleven}},
			errors: []string{"platforms[1].content twitter text_too_long"},
		},
		"own texts between others of the platform": {
			content: post("fits"),
			targets: []schema.Target{{Platform: captions, Content: eleven}, {Platform: captions}, {Platform: captions}, {Platform: captions, Content: eleven}},
			errors:  []string{"platforms[0].content telegram text_too_long", "platforms[3].content telegram text_too_long"},
		},
		"a target's own text saves a long one": {content: post(eleven), targets: []schema.Target{{Platform: short, Content: ten}}},
		"the text of the settings": {
			content: settings(`{"mode":"a","content":"` + eleven + `"}`), targets: on(short),
			errors: []string{"platformSettings.twitter.content twitter text_too_long"},
		},
		"a text longer than a caption":  {content: post("hello"), targets: on(captions)},
		"a caption at the limit":        {content: post("four", media(image)...), targets: on(captions)},
		"a caption over it by one":      {content: post("hello", media(image)...), targets: on(captions), errors: []string{"content telegram text_too_long"}},
		"neither text nor media":        {content: post(" "), targets: on(short), errors: []string{"content  content_required"}},
		"media alone":                   {content: post("", media(image)...), targets: on(short)},
		"media alone, text required":    {content: post("", media(image)...), targets: on(wordy), errors: []string{"content bluesky text_required"}},
		"no media where it is required": {content: post("hello"), targets: on(pictures), errors: []string{"mediaItems instagram media_required"}},
		"as many hashtags as allowed":   {content: post("#a #b c#1", media(image)...), targets: on(pictures)},
		"one hashtag too many":          {content: post("#a #b#c #", media(image)...), targets: on(pictures), errors: []string{"content instagram hashtags_too_many"}},

		"as many media as allowed":   {content: post("", media(image, image)...), targets: on(short)},
		"one media item too many":    {content: post("", media(image, image, image)...), targets: on(short), errors: []string{"mediaItems twitter too_many_media"}},
		"a second video":             {content: post("", media(video, video)...), targets: on(short), errors: []string{"mediaItems twitter too_many_media"}},
		"as many videos as allowed":  {content: post("", media(video, video, image)...), targets: on(pictures)},
		"one video too many":         {content: post("", media(video, video, video)...), targets: on(pictures), errors: []string{"mediaItems instagram too_many_media"}},
		"an image and a video":       {content: post("", media(image, video)...), targets: on(short), errors: []string{"mediaItems twitter media_mix"}},
		"an image and a GIF":         {content: post("", media(image, gif)...), targets: on(short), errors: []string{"mediaItems twitter media_mix"}},
		"a GIF alone":                {content: post("", media(gif)...), targets: on(short)},
		"a mixture that is allowed":  {content: post("", media(image, video)...), targets: on(pictures)},
		"a document":                 {content: post("", media(pdf)...), targets: on(papers)},
		"a document and an image":    {content: post("", media(pdf, image)...), targets: on(papers), errors: []string{"mediaItems linkedin too_many_media", "mediaItems linkedin media_mix"}},
		"a kind that is not taken":   {content: post("", media(image, pdf)...), targets: on(pictures), errors: []string{"mediaItems[1].type instagram media_kind_unsupported"}},
		"a kind that does not exist": {content: post("", media("music")...), targets: on(papers), errors: []string{"mediaItems[0].type  media_invalid", "mediaItems[0].type linkedin media_kind_unsupported"}},
		"media without a source":     {content: post("", schema.Media{Kind: image}), targets: on(papers), errors: []string{"mediaItems[0]  media_invalid"}},
		"media of two sources": {
			content: post("", schema.Media{Kind: image, URL: "https://a", MediaID: schema.MediaID{1}}), targets: on(papers),
			errors: []string{"mediaItems[0]  media_invalid"},
		},
		"media of an upload":               {content: post("", schema.Media{Kind: image, MediaID: schema.MediaID{1}}), targets: on(papers)},
		"alternative text at limit":        {content: post("", schema.Media{Kind: image, URL: "x", AltText: strings.Repeat("é", 1000)}), targets: on(papers)},
		"alternative text too long":        {content: post("", schema.Media{Kind: image, URL: "x", AltText: strings.Repeat("é", 1001)}), targets: on(papers), errors: []string{"mediaItems[0].altText  alt_text_too_long"}},
		"a required setting missing":       {content: settings(`{}`), targets: on(short), errors: []string{"platformSettings.twitter.mode twitter setting_required"}},
		"no settings at all":               {content: settings(``), targets: on(short), errors: []string{"platformSettings.twitter.mode twitter setting_required"}},
		"a setting of no effect on others": {content: settings(`{}`), targets: on(wordy)},
		"a wrong setting":                  {content: settings(`{"mode":"c"}`), targets: on(short), errors: []string{"platformSettings.twitter.mode twitter setting_invalid"}},
		"a title at the limit":             {content: settings(`{"mode":"a","title":"abc"}`), targets: on(short)},
		"a sign that is not taken":         {content: post("a>b"), targets: on(short, papers), errors: []string{"content twitter text_sign_unsupported"}},
		"a sign in a title":                {content: settings(`{"mode":"a","title":"a<"}`), targets: on(short), errors: []string{"platformSettings.twitter.title twitter text_sign_unsupported"}},
		"a title over it":                  {content: settings(`{"mode":"a","title":"abcd"}`), targets: on(short), errors: []string{"platformSettings.twitter.title twitter text_too_long"}},
		"settings that are no object":      {content: settings(`[]`), targets: on(short), errors: []string{"platformSettings.twitter twitter setting_invalid"}},
		"an unknown setting":               {content: settings(`{"mode":"a","mod":"b"}`), targets: on(short), warnings: []string{"platformSettings.twitter.mod twitter setting_unknown"}},
		"a setting where there are none": {
			content: with(post("hello"), func(c *schema.Content) { c.Settings[papers] = json.RawMessage(`{"mode":"a","content":"x"}`) }),
			targets: on(papers), warnings: []string{"platformSettings.linkedin.mode linkedin setting_unknown"},
		},

		"a first comment at the limit":  {content: commented(post("hello"), schema.FirstComment{Text: "12345"}), targets: on(short)},
		"a first comment over it":       {content: commented(post("hello"), schema.FirstComment{Text: "12345"}, schema.FirstComment{Text: "123456"}), targets: on(short), errors: []string{"firstComments[1].text twitter first_comment_too_long"}},
		"a first comment without limit": {content: commented(post("hello"), schema.FirstComment{Text: strings.Repeat("x", 9999)}), targets: on(wordy)},
		"an empty first comment":        {content: commented(post("hello"), schema.FirstComment{Text: " "}), targets: on(wordy), errors: []string{"firstComments[0].text  first_comment_empty"}},
		"a first comment nobody takes":  {content: commented(post("hello"), schema.FirstComment{Text: "x"}), targets: on(captions), errors: []string{"firstComments[0] telegram first_comment_unsupported"}},
		"a first comment some take":     {content: commented(post("hello"), schema.FirstComment{Text: "x"}), targets: on(short, captions), warnings: []string{"firstComments[0] telegram first_comment_skipped"}},
		"a comment on no entry":         {content: commented(post("hello"), schema.FirstComment{Target: 1, Text: "x"}), targets: on(short), errors: []string{"firstComments[0].target  first_comment_target_invalid"}},

		"a thread":           {content: thread(schema.Entry{Text: "a"}, schema.Entry{Text: "b"}), targets: on(short, wordy)},
		"a thread elsewhere": {content: thread(schema.Entry{Text: "a"}, schema.Entry{Text: "b"}), targets: on(short, captions), errors: []string{"platforms[1] telegram thread_unsupported"}},
		"a thread of one":    {content: thread(schema.Entry{Text: "a"}), targets: on(short), errors: []string{"posts  thread_length"}},
		"a thread of 25":     {content: thread(entries(25)...), targets: on(short)},
		"a thread of 26":     {content: thread(entries(26)...), targets: on(short), errors: []string{"posts  thread_length"}},
		"a long entry":       {content: thread(schema.Entry{Text: "a"}, schema.Entry{Text: eleven}), targets: on(short), errors: []string{"posts[1].content twitter text_too_long"}},
		"a long entry on a platform": {
			content: thread(schema.Entry{Text: "a"}, schema.Entry{Text: "b", Platform: map[schema.Platform]string{short: eleven}}), targets: on(short),
			errors: []string{"posts[1].platformContent.twitter twitter text_too_long"},
		},
		"two media in an entry":    {content: thread(schema.Entry{Text: "a"}, schema.Entry{Media: media(image, image)}), targets: on(short), errors: []string{"posts[1].mediaItems  too_many_media"}},
		"a wrong kind in an entry": {content: thread(schema.Entry{Text: "a"}, schema.Entry{Media: media(pdf)}), targets: on(short), errors: []string{"posts[1].mediaItems[0].type twitter media_kind_unsupported"}},
		"an empty entry":           {content: thread(schema.Entry{Text: "a"}, schema.Entry{}), targets: on(short), errors: []string{"posts[1].content  content_required"}},
		"a comment below the root": {content: commented(thread(entries(2)...), schema.FirstComment{Target: 1, Text: "x"}), targets: on(short)},
		"a comment below the root where only the root takes one": {
			content: commented(thread(entries(2)...), schema.FirstComment{Target: 1, Text: "x"}), targets: on(wordy),
			errors: []string{"firstComments[0] bluesky first_comment_unsupported"},
		},
		"a comment below the root where some take one": {
			content: commented(thread(entries(2)...), schema.FirstComment{Target: 1, Text: "x"}), targets: on(short, wordy),
			warnings: []string{"firstComments[0] bluesky first_comment_skipped"},
		},
		"everything at once": {
			content: commented(with(post(eleven, media(image, video)...), func(c *schema.Content) { delete(c.Settings, short) }), schema.FirstComment{Text: "123456"}),
			targets: on(short),
			errors: []string{
				"platformSettings.twitter.mode twitter setting_required", "content twitter text_too_long",
				"mediaItems twitter media_mix", "firstComments[0].text twitter first_comment_too_long",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			errors, warnings := validation.Check(tt.content, tt.targets, ofPlatform)
			compare(t, "errors", errors, tt.errors)
			compare(t, "warnings", warnings, tt.warnings)
		})
	}
}

func entries(n int) []schema.Entry {
	all := make([]schema.Entry, n)
	for i := range all {
		all[i].Text = fmt.Sprint("post ", i)
	}
	return all
}

func compare(t *testing.T, what string, got []schema.Detail, want []string) {
	t.Helper()
	var found []string
	for _, d := range got {
		found = append(found, d.Field+" "+d.Platform+" "+d.Code)
		if d.Message == "" {
			t.Errorf("%s has no message", d.Field)
		}
	}
	if strings.Join(found, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s %q, want %q", what, found, want)
	}
}

func TestMessagesNameLimitAndFigure(t *testing.T) {
	c := commented(post(strings.Repeat("x", 12), media(schema.Image, schema.Image, schema.Image)...), schema.FirstComment{Text: "1234567"})
	errors, _ := validation.Check(c, on(short), ofPlatform)
	var messages []string
	for _, d := range errors {
		messages = append(messages, d.Message)
	}
	want := []string{
		"twitter takes at most 10 characters, the text has 12",
		"twitter takes at most 2 media items, there are 3",
		"twitter takes a first comment of at most 5 characters, this one has 7",
	}
	if strings.Join(messages, "\n") != strings.Join(want, "\n") {
		t.Errorf("messages %q, want %q", messages, want)
	}
}

// Accounts of one platform may be on servers with limits of their own.
func TestEachAccountIsHeldToItsOwn(t *testing.T) {
	const eleven = "12345678901"
	usual, roomy, narrow := rules(papers), rules(papers), rules(papers)
	usual.Own = func(schema.Account) schema.Constraints { return roomy }
	roomy.Text.Max, roomy.Server = 20, "roomy.example"
	narrow.Text.Max, narrow.Server, narrow.Media.Kinds = 5, "narrow.example", []schema.MediaKind{schema.Image}
	narrow.Media.MaxImageBytes, narrow.Media.MaxAltText = 100, 3
	held := map[schema.AccountID]schema.Constraints{{}: usual, {1}: roomy, {2}: narrow}
	large := &schema.MediaFacts{Kind: schema.Image, Type: "image/png", Size: 101, Width: 10, Height: 10}
	described := schema.Media{Kind: schema.Image, URL: "u", AltText: "four", Facts: large}
	for name, tt := range map[string]struct {
		content  schema.Content
		accounts []schema.AccountID
		want     []string
	}{
		"none is known":   {post(eleven), []schema.AccountID{{}}, []string{"linkedin takes at most 10 characters, the text has 11"}},
		"more":            {post(eleven), []schema.AccountID{{1}}, nil},
		"less":            {post("sixsix"), []schema.AccountID{{2}}, []string{"linkedin (narrow.example) takes at most 5 characters, the text has 6"}},
		"both":            {post(eleven), []schema.AccountID{{1}, {2}}, []string{"linkedin (narrow.example) takes at most 5 characters, the text has 11"}},
		"the other way":   {post(eleven), []schema.AccountID{{2}, {1}, {2}}, []string{"linkedin (narrow.example) takes at most 5 characters, the text has 11"}},
		"a picture":       {post("", described), []schema.AccountID{{1}}, nil},
		"one too large":   {post("", described), []schema.AccountID{{1}, {2}}, []string{"linkedin (narrow.example) takes alternative texts of at most 3 characters, this one has 4", "linkedin takes images of at most 100 bytes, this one has 101"}},
		"what is refused": {post("", media(schema.PDF)...), []schema.AccountID{{1}, {2}}, []string{"linkedin (narrow.example) takes image, not pdf"}},
	} {
		t.Run(name, func(t *testing.T) {
			var targets []schema.Target
			for _, id := range tt.accounts {
				targets = append(targets, schema.Target{Platform: papers, Account: id})
			}
			found, _ := validation.Check(tt.content, targets, func(t schema.Target) *schema.Constraints { return new(held[t.Account]) })
			var messages []string
			for _, d := range found {
				if d.Platform == papers.String() {
					messages = append(messages, d.Message)
				}
			}
			if strings.Join(messages, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("messages %q, want %q", messages, tt.want)
			}
		})
	}
}

func TestNestedSettings(t *testing.T) {
	check := validation.SettingRules{
		"box": validation.ObjectSetting(validation.SettingRules{
			"flag": validation.BoolSetting(), "name": validation.TextSetting(schema.TextLimit{Required: true}),
		}),
		"two": validation.ListSetting(2, validation.BoolSetting()),
	}.Check
	for name, tt := range map[string]struct {
		settings string
		want     []string
	}{
		"not given":            {`{}`, nil},
		"null":                 {`{"box":null}`, []string{"box  setting_invalid"}},
		"right":                {`{"box":{"flag":true,"name":"x"}}`, nil},
		"no object":            {`{"box":1}`, []string{"box  setting_invalid"}},
		"one is missing":       {`{"box":{}}`, []string{"box.name  setting_required"}},
		"one is empty":         {`{"box":{"name":" "}}`, []string{"box.name  setting_required"}},
		"one is wrong":         {`{"box":{"name":"x","flag":"yes"}}`, []string{"box.flag  setting_invalid"}},
		"one is unknown":       {`{"box":{"name":"x","content":"y"}}`, []string{"box.content  setting_unknown"}},
		"the text is a number": {`{"content":1}`, []string{"content  setting_invalid"}},
		"a list":               {`{"two":[true,false]}`, nil},
		"a list too long":      {`{"two":[true,false,true]}`, []string{"two  setting_invalid"}},
		"a wrong item":         {`{"two":[true,1]}`, []string{"two[1]  setting_invalid"}},
		"no list":              {`{"two":{}}`, []string{"two  setting_invalid"}},
	} {
		t.Run(name, func(t *testing.T) { compare(t, "details", check(json.RawMessage(tt.settings)), tt.want) })
	}
}

func TestSettingsAreWhatTheAccountEnables(t *testing.T) {
	strict, free := schema.Account{ID: schema.AccountID{1}, Settings: json.RawMessage(`{"mode":["a"]}`)}, schema.Account{ID: schema.AccountID{2}, Settings: json.RawMessage(`{}`)}
	accounts := map[schema.AccountID]*schema.Account{strict.ID: &strict, free.ID: &free}
	for name, tt := range map[string]struct {
		settings string
		account  schema.AccountID
		want     []string
	}{
		"enabled":              {`{"mode":"a"}`, strict.ID, nil},
		"not enabled":          {`{"mode":"b"}`, strict.ID, []string{"platformSettings.twitter.mode twitter setting_not_enabled"}},
		"not given":            {`{}`, strict.ID, nil},
		"of a wrong type":      {`{"mode":1}`, strict.ID, nil}, // the platform's rules say so
		"nothing is said":      {`{"mode":"b"}`, free.ID, nil},
		"an account not known": {`{"mode":"b"}`, schema.AccountID{3}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			targets := []schema.Target{{Platform: short, Account: tt.account}, {Platform: short, Account: tt.account, N: 1}}
			found := validation.CheckAccounts(settings(tt.settings), targets, func(id schema.AccountID) *schema.Account { return accounts[id] })
			compare(t, "errors", found, tt.want)
		})
	}
}
