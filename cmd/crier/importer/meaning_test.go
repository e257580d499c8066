package importer

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// read is all rows of a table of a program: their bodies, or what is wrong with them.
func read(t *testing.T, program, platforms, content string) (all []string) {
	t.Helper()
	m, err := ReadMapping(program)
	if err != nil {
		t.Fatal(err)
	}
	m.Platforms = platforms
	source, err := openRows("a.csv", strings.NewReader(content), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	for {
		r, err := source.next()
		switch {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		case r.problem != nil:
			all = append(all, "! "+r.problem.field+": "+r.problem.message)
		default:
			all = append(all, string(r.body))
		}
	}
}

// TestWhatDecidesWhatGoesOutIsKept has the cases of tables whose values were lost in silence.
func TestWhatDecidesWhatGoesOutIsKept(t *testing.T) {
	const metricool = "Text,Date,Time,Draft,Facebook,Twitter/X,LinkedIn,GBP,Instagram,Pinterest,TikTok,Youtube,Threads,Bluesky,Picture Url 1,Instagram Post Type,Youtube Video Title,Youtube Video Privacy,Youtube video for kids,Facebook Post Type,First Comment Text\n"
	const publer = `Date - Intl. format or prompt,Text,"Link(s) - Separated by comma for FB carousels","Media URL(s) - Separated by comma","Title - For the video, pin, PDF ..","Label(s) - Separated by comma","Alt text(s) - Separated by ||","Comment(s) - Separated by ||","Pin board, FB album, or Google category","Post subtype - I.e. story, reel, PDF ..","CTA - For Facebook links or Google","Reminder - For stories, reels, shorts, and TikToks"` + "\n"
	const vista = "message,type,link,time,comment1,comment2,comments_enabled,instagram_publish_as,subreddit\n"
	for name, tt := range map[string]struct {
		program, platforms, content, want string // want: a body, or the start of what is wrong
	}{
		"metricool: a private video for children": {
			"metricool", "", metricool + `"rough cut for the client",2026-12-06,09:00:00,FALSE,FALSE,FALSE,FALSE,FALSE,FALSE,FALSE,FALSE,TRUE,FALSE,FALSE,https://example.com/cut.mp4,,Rough cut,PRIVATE,TRUE,,` + "\n",
			`{"content": "rough cut for the client", "platforms": [{"platform": "youtube"}], "scheduledFor": "2026-12-06T09:00:00",
			  "mediaItems": [{"type": "video", "url": "https://example.com/cut.mp4"}],
			  "platformSettings": {"youtube": {"title": "Rough cut", "privacyStatus": "private", "selfDeclaredMadeForKids": true}}}`,
		},
		"metricool: a story": {
			"metricool", "", metricool + `"behind the scenes",2026-12-06,10:00:00,FALSE,FALSE,FALSE,FALSE,FALSE,TRUE,FALSE,FALSE,FALSE,FALSE,FALSE,https://example.com/bts.jpg,STORY,,,,,` + "\n",
			`{"content": "behind the scenes", "platforms": [{"platform": "instagram"}], "scheduledFor": "2026-12-06T10:00:00",
			  "mediaItems": [{"type": "image", "url": "https://example.com/bts.jpg"}], "platformSettings": {"instagram": {"mediaType": "STORIES"}}}`,
		},
		"metricool: the settings of a network that the row does not go to": {
			"metricool", "", "Text,Date,Time,Instagram,Bluesky,Instagram Post Type,Youtube Video Privacy,TikTok musicId\nx,2026-12-06,10:00,FALSE,TRUE,STORY,NOBODY,17\n",
			`{"content": "x", "platforms": [{"platform": "bluesky"}], "scheduledFor": "2026-12-06T10:00:00"}`,
		},
		"metricool: a privacy that there is not": {
			"metricool", "", "Text,Date,Time,Youtube,Youtube Video Privacy\nx,2026-12-06,10:00,yes,FRIENDS\n",
			`! Youtube Video Privacy: "FRIENDS" is none of PRIVATE, PUBLIC, UNLISTED`,
		},
		"metricool: not approved, several comments, labels": {
			"metricool", "", "Text,Date,Time,Bluesky,Approved,Comment 1,Comment 2\nx,2026-12-06,10:00,true,NO,a,b\n",
			`{"content": "x", "platforms": [{"platform": "bluesky"}], "status": "draft", "firstComments": [{"target": 0, "text": "a"}, {"target": 0, "text": "b"}]}`,
		},
		"metricool: polls": {
			"metricool", "", "Text,Date,Time,Twitter/X,LinkedIn,Twitter/X Type,Twitter/X Poll Duration minutes,Twitter/X Poll Option 1,Twitter/X Poll Option 2,LinkedIn Poll Question,LinkedIn Poll Option 1,LinkedIn Poll Option 2,LinkedIn Poll Duration\n" +
				"x,2026-12-06,10:00,1,1,POLL,1440,A,B,Which?,C,D,TWO_WEEKS\n",
			`{"content": "x", "platforms": [{"platform": "twitter"}, {"platform": "linkedin"}], "scheduledFor": "2026-12-06T10:00:00", "platformSettings": {
			  "twitter": {"poll": {"durationMinutes": 1440, "options": ["A", "B"]}}, "linkedin": {"poll": {"question": "Which?", "options": ["C", "D"], "duration": "FOURTEEN_DAYS"}}}}`,
		},
		"metricool: music that crier cannot add": {
			"metricool", "", "Text,Date,Time,TikTok,TikTok Post Privacy,TikTok Auto Add Music\nx,2026-12-06,10:00,TRUE,SELF_ONLY,TRUE\n", `! TikTok Auto Add Music: "TRUE": crier adds no music`,
		},
		"metricool: a board by its name": {
			"metricool", "", "Text,Date,Time,Pinterest,Pinterest Board\nx,2026-12-06,10:00,TRUE,Recipes\n", `! Pinterest Board: "Recipes": pinterest.boardId `,
		},
		"publer: its own template": {
			"publer", "mastodon", publer + `2026-12-05 09:00,hello,,"https://example.com/a.jpg, https://example.com/b.jpg",,"x, y","one||two","first||second",,,,` + "\n",
			`{"content": "hello", "platforms": [{"platform": "mastodon"}], "scheduledFor": "2026-12-05T09:00:00", "metadata": {"labels": "x, y"},
			  "mediaItems": [{"type": "image", "url": "https://example.com/a.jpg", "altText": "one"}, {"type": "image", "url": "https://example.com/b.jpg", "altText": "two"}],
			  "firstComments": [{"target": 0, "text": "first"}, {"target": 0, "text": "second"}]}`,
		},
		"publer: a story for two networks": {
			"publer", "instagram,facebook", publer + "2026-12-05 09:00,,,https://a.test/a.jpg,,,,,,Story,,\n",
			`{"platforms": [{"platform": "instagram"}, {"platform": "facebook"}], "scheduledFor": "2026-12-05T09:00:00", "mediaItems": [{"type": "image", "url": "https://a.test/a.jpg"}],
			  "platformSettings": {"instagram": {"mediaType": "STORIES"}, "facebook": {"mediaType": "STORIES"}}}`,
		},
		"publer: a story where there are none": {"publer", "mastodon", publer + "2026-12-05 09:00,x,,,,,,,,story,,\n", `! Post subtype - I.e. story, reel, PDF ..: "story": mastodon has none`},
		"publer: a reminder":                   {"publer", "instagram", publer + "2026-12-05 09:00,x,,https://a.test/a.jpg,,,,,,,,yes\n", `! Reminder - For stories, reels, shorts, and TikToks: "yes": crier publishes posts itself`},
		"publer: texts of single pictures":     {"publer", "facebook", publer + "2026-12-05 09:00,x || one,,,,,,,,,,\n", `! Text: "x || one": what follows ||`},
		"publer: a carousel of links":          {"publer", "facebook", publer + `2026-12-05 09:00,x,"https://a.test, https://b.test",,,,,,,,,` + "\n", `! Link(s) - Separated by comma for FB carousels: "https://a.test, https://b.test": several links`},
		"publer: a prompt in place of a date":  {"publer", "facebook", publer + "next Friday at 2 PM,x,,,,,,,,,,\n", `! scheduledFor: "next Friday at 2 PM" is no time crier knows`},
		"publer: a pin, its title, where it leads": {"publer", "pinterest", publer + "2026-12-05 09:00,x,https://a.test/,https://a.test/1.png,T,,,,17,,,\n",
			`{"content": "x", "platforms": [{"platform": "pinterest"}], "scheduledFor": "2026-12-05T09:00:00", "mediaItems": [{"type": "image", "url": "https://a.test/1.png"}],
			  "platformSettings": {"pinterest": {"boardId": "17", "link": "https://a.test/", "title": "T"}}}`},
		"publer: a button": {"publer", "google-business", publer + "2026-12-05 09:00,x,https://a.test/,,,,,,Update,,Learn More,\n",
			`{"content": "x\n\nhttps://a.test/", "platforms": [{"platform": "google-business"}], "scheduledFor": "2026-12-05T09:00:00",
			  "platformSettings": {"google-business": {"topicType": "STANDARD", "callToAction": {"actionType": "LEARN_MORE", "url": "https://a.test/"}}}}`},
		"loomly: what is published already": {
			"loomly", "", "Channel,Status,Content,Scheduled Date,Published Date\nLinkedIn,Published,x,2026-01-01 09:00,2026-01-01 09:00\n", `! Published Date: "2026-01-01 09:00": the post is published already`,
		},
		"loomly: what waits for an approval": {
			"loomly", "", "Channel,Status,Content,Scheduled Date,ID\nInstagram Business,Pending Approval,x,2026-12-05 09:00,7\n",
			`{"content": "x", "platforms": [{"platform": "instagram"}], "status": "draft", "externalId": "7"}`,
		},
		"vista: comments, a video, kinds": {
			"vistasocial", "instagram", vista + "hi,video,https://a.test/v,2026-12-21 5:05 pm,a,b,yes,REELS,\n",
			`{"content": "hi", "platforms": [{"platform": "instagram"}], "scheduledFor": "2026-12-21T17:05:00", "mediaItems": [{"type": "video", "url": "https://a.test/v"}],
			  "firstComments": [{"target": 0, "text": "a"}, {"target": 0, "text": "b"}], "platformSettings": {"instagram": {"mediaType": "REELS"}}}`,
		},
		"vista: a carousel in rows": {
			"vistasocial", "instagram", vista + "hi,image,https://a.test/1.png,2026-12-21 17:05,,,,,\nhi,image,https://a.test/2.png,2026-12-21 17:05,,,,,\n", `! message: rows with the same message, type, time are one post`,
		},
		"vista: closed comments":  {"vistasocial", "instagram", vista + "hi,image,https://a.test/1.png,2026-12-21 17:05,,,no,,\n", `! comments_enabled: "no": crier closes comments on tiktok alone`},
		"vista: closed on tiktok": {"vistasocial", "tiktok", vista + "hi,video,https://a.test/1.mp4,2026-12-21 17:05,,,no,,\n", `{"content": "hi", "platforms": [{"platform": "tiktok"}], "scheduledFor": "2026-12-21T17:05:00", "mediaItems": [{"type": "video", "url": "https://a.test/1.mp4"}], "platformSettings": {"tiktok": {"disableComment": true}}}`},
		"vista: reddit":           {"vistasocial", "mastodon", vista + "hi,message,,now,,,,,golang\n", `! subreddit: "golang": crier does not post to reddit`},
		"contentstudio: days before months": {
			"contentstudio", "mastodon", "Date and Time,Message,Image URL,Link\n03/11/2027 08:00,x,,\n", `{"content": "x", "platforms": [{"platform": "mastodon"}], "scheduledFor": "2027-11-03T08:00:00"}`,
		},
		"hootsuite: a time that is none is no header": {"hootsuite", "x", "tomorrow,hello,\n", `! scheduledFor: "tomorrow" is no time`},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, tt.program, tt.platforms, tt.content)
			if strings.HasPrefix(tt.want, "!") {
				if !strings.HasPrefix(got[0], tt.want) {
					t.Errorf("rows = %q, want %q", got, tt.want)
				}
			} else if len(got) != 1 || !sameJSON(t, got[0], tt.want) {
				t.Errorf("rows = %q, want %s", got, tt.want)
			}
		})
	}
}

// TestRowsOfACarouselAreAllRefused: each of them alone would be a post of one picture.
func TestRowsOfACarouselAreAllRefused(t *testing.T) {
	row := func(message, picture string) string { return message + ",image," + picture + ",2026-12-21 17:05\n" }
	got := read(t, "vistasocial", "instagram", row("a", "https://a.test/0")+row("b", "https://a.test/1")+row("b", "https://a.test/2")+row("b", "https://a.test/3")+row("c", "https://a.test/4"))
	for i, refused := range []bool{false, true, true, true, false} {
		if strings.HasPrefix(got[i], "! message") != refused {
			t.Errorf("row %d: %s", i+1, got[i])
		}
	}
}

func TestWhatNobodyMissesIsLeftOutWithAWarning(t *testing.T) {
	m, err := ReadMapping("metricool")
	if err != nil {
		t.Fatal(err)
	}
	source, err := openRows("a.csv", strings.NewReader("Text,Date,Time,Bluesky,Shortener\nx,2026-12-06,10:00,TRUE,TRUE\n"), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := source.next()
	if err != nil || r.problem != nil || len(r.warnings) != 1 || r.warnings[0] != `Shortener: "TRUE": crier shortens no links` {
		t.Errorf("the row is %+v, %v", r, err)
	}
}
