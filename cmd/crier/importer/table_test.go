package importer

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"crier/schema"
)

// bodies reads all rows of a file: their bodies, or what is wrong with them.
func bodies(t *testing.T, name, content string) []string {
	t.Helper()
	source, err := openRows(name, strings.NewReader(content), Mapping{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for {
		r, err := source.next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.problem != nil {
			text := "! " + r.problem.field + ": " + r.problem.message
			for _, p := range r.problem.also {
				text += "; " + p.field + ": " + p.message
			}
			all = append(all, text)
			continue
		}
		all = append(all, string(r.body))
	}
}

func TestTablesAreForgiving(t *testing.T) {
	for name, tt := range map[string]struct{ header, line, want string }{
		"names of columns in any case and spelling": {
			"Text,Platforms,Scheduled_For,First Comment", "Hello,mastodon,2026-12-01 09:00,First!",
			`{"content": "Hello", "platforms": [{"platform": "mastodon"}], "scheduledFor": "2026-12-01T09:00:00", "firstComment": "First!"}`,
		},
		"semicolons, a mark of the byte order, and nicknames of platforms": {
			"\uFEFFcontent;platforms;queue", "Hello;x, IG|fb;yes",
			`{"content": "Hello", "platforms": [{"platform": "twitter"}, {"platform": "instagram"}, {"platform": "facebook"}], "queue": true}`,
		},
		"accounts beside platforms, or behind a colon": {
			"platforms\taccounts", "mastodon bluesky\tacc_1 acc_2",
			`{"platforms": [{"platform": "mastodon", "accountId": "acc_1"}, {"platform": "bluesky", "accountId": "acc_2"}]}`,
		},
		"an account behind a colon": {
			"platforms", "mastodon:acc_1", `{"platforms": [{"platform": "mastodon", "accountId": "acc_1"}]}`,
		},
		"a date and a time of their own": {
			"platforms,date,time,tz", "mastodon,31.12.2026,18:30,Europe/Berlin",
			`{"platforms": [{"platform": "mastodon"}], "scheduledFor": "2026-12-31T18:30:00", "timezone": "Europe/Berlin"}`,
		},
		"media of several kinds": {
			"platforms,media,alt", `mastodon,"https://a.test/1.PNG https://a.test/2.mp4?x=1",one | two`,
			`{"platforms": [{"platform": "mastodon"}], "mediaItems": [{"type": "image", "url": "https://a.test/1.PNG", "altText": "one"},
			  {"type": "video", "url": "https://a.test/2.mp4?x=1", "altText": "two"}]}`,
		},
		"addresses with commas in them": {
			"platforms,media", `mastodon,"https://a.test/w_1,h_2/1.png, https://a.test/a;b.png` + "\n" + `https://a.test/3.pdf | ""https://a.test/?to=1,https://b.test/"""`,
			`{"platforms": [{"platform": "mastodon"}], "mediaItems": [{"type": "image", "url": "https://a.test/w_1,h_2/1.png"}, {"type": "image", "url": "https://a.test/a;b.png"},
			  {"type": "pdf", "url": "https://a.test/3.pdf"}, {"type": "image", "url": "https://a.test/?to=1,https://b.test/"}]}`,
		},
		"media whose addresses tell no type": {
			"platforms,media,media types", `mastodon,https://a.test/1 https://a.test/2,video|Image`,
			`{"platforms": [{"platform": "mastodon"}], "mediaItems": [{"type": "video", "url": "https://a.test/1"}, {"type": "image", "url": "https://a.test/2"}]}`,
		},
		"uploads, whose type the server knows": {
			"platforms,mediaIds", "mastodon,media_1 media_2", `{"platforms": [{"platform": "mastodon"}], "mediaItems": [{"mediaId": "media_1"}, {"mediaId": "media_2"}]}`,
		},
		"columns of their own for media and platforms": {
			"platform.bluesky,platform.x,media.2,media.1,altText.2,draft,date,time", "yes,no,https://a.test/2.png,https://a.test/1.png,two,yes,2026-12-01,09:00",
			`{"platforms": [{"platform": "bluesky"}], "status": "draft", "mediaItems": [{"type": "image", "url": "https://a.test/1.png"},
			  {"type": "image", "url": "https://a.test/2.png", "altText": "two"}]}`,
		},
		"a link that is not in the text": {
			"platforms,text,link", "mastodon,Read,https://a.test/", `{"platforms": [{"platform": "mastodon"}], "content": "Read\n\nhttps://a.test/"}`,
		},
		"settings, metadata and titles": {
			"platforms,title,tiktok.privacy,Mastodon.sensitive,metadata.Campaign", "youtube tiktok,Film,SELF_ONLY,true,Spring",
			`{"platforms": [{"platform": "youtube"}, {"platform": "tiktok"}], "metadata": {"Campaign": "Spring"},
			  "platformSettings": {"youtube": {"title": "Film"}, "tiktok": {"privacy": "SELF_ONLY"}, "mastodon": {"sensitive": true}}}`,
		},
		"settings that are numbers, and texts that look like some": {
			"platforms,tiktok.videoCoverTimestampMs,instagram.thumbOffset,pinterest.coverImageKeyFrameTime,twitter.quoteTweetId,youtube.categoryId,pinterest.boardId",
			"mastodon,1500,0,12,1234567890123456789,22,7",
			`{"platforms": [{"platform": "mastodon"}], "platformSettings": {"tiktok": {"videoCoverTimestampMs": 1500}, "instagram": {"thumbOffset": 0},
			  "pinterest": {"coverImageKeyFrameTime": 12, "boardId": "7"}, "twitter": {"quoteTweetId": "1234567890123456789"}, "youtube": {"categoryId": "22"}}}`,
		},
		"a cell with lines and quotes": {
			"platforms,content", `mastodon,"one` + "\n" + `""two"""`, `{"platforms": [{"platform": "mastodon"}], "content": "one\n\"two\""}`,
		},
		"a space before quotes":      {"platforms, content", `mastodon, "one, two"`, `{"platforms": [{"platform": "mastodon"}], "content": "one, two"}`},
		"an empty cell between tabs": {"platforms\ttitle\tcontent", "mastodon\t\tone", `{"platforms": [{"platform": "mastodon"}], "content": "one"}`},
		"an empty line of commas":    {"platforms,content", "mastodon,\n,,", `{"platforms": [{"platform": "mastodon"}]}`},
		"columns that are unknown, and fewer cells than columns": {
			"platforms,mood,content", "mastodon,happy", `{"platforms": [{"platform": "mastodon"}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := "a.csv"
			got := bodies(t, file, tt.header+"\n"+tt.line+"\n\n")
			if len(got) != 1 || !sameJSON(t, got[0], tt.want) {
				t.Errorf("rows = %q, want %s", got, tt.want)
			}
		})
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var left, right any
	if json.Unmarshal([]byte(a), &left) != nil {
		return false
	}
	if err := json.Unmarshal([]byte(b), &right); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(left, right)
}

func TestRowsThatAreNotSent(t *testing.T) {
	for name, tt := range map[string]struct{ file, content, want string }{
		"a platform nobody knows": {"a.csv", "platforms\nmyspace", `! platforms: "myspace" is no platform: ` + schema.PlatformNames() + ` are`},
		"a row with much that is wrong": {
			"a.csv", "platforms,date,time,timezone,draft,alt\nblusky x mastodn,2026-12-01,25:00,Berlin,maybe,a",
			`! platforms: "blusky" is no platform (did you mean bluesky?): ` + schema.PlatformNames() + ` are` +
				`; platforms: "mastodn" is no platform (did you mean mastodon?): ` + schema.PlatformNames() + ` are` +
				`; draft: must be yes or no; date: "2026-12-01 25:00" is no time crier knows; write it like 2026-12-01 09:00 or 2026-12-01T09:00:00+01:00` +
				`; altText: there are 1 texts for 0 media items; timezone: "Berlin" is no time zone of the IANA database, such as Europe/Berlin`,
		},
		"no platform":                             {"a.csv", "platforms,content\n,Hello", "! platforms: at least one platform is required"},
		"fewer accounts than platforms":           {"a.csv", "platforms,accounts\nmastodon bluesky,acc_1", "! accounts: there are 1 accounts for 2 platforms"},
		"a day that may be a month":               {"a.csv", "platforms,date\nmastodon,1/2/2027 9:00", "! date: the day and the month of 1/2/2027 could be either: write it like 2026-12-01, or say --days day-first or month-first"},
		"two times":                               {"a.csv", "platforms,when,date\nmastodon,2026-12-01 9:00,2026-12-01", "! date: must not stand beside scheduledFor"},
		"an id of which a sheet keeps six digits": {"a.csv", "platforms,externalId\nmastodon,1.23457E+14", "! externalId: 1.23457E+14 is what a spreadsheet shows of a long number, whose digits are lost: format the column as text, and write it again"},
		"a switch that is neither":                {"a.csv", "platforms,queue\nmastodon,maybe", "! queue: must be yes or no"},
		"more cells than columns":                 {"a.csv", "platforms\nmastodon,bluesky", "! : the row has 2 fields, the header 1"},
		"more texts than media":                   {"a.csv", "platforms,media,alt\nmastodon,https://a.test/1.png,a|b", "! altText: there are 2 texts for 1 media items"},
		"a line that is no object":                {"a.jsonl", "[1]", "! : the line is not a JSON object"},
		"a line that is no JSON":                  {"a.jsonl", "{", "! : the line is not a JSON object"},
		"a line that is null":                     {"a.jsonl", "null", "! : the line is not a JSON object"},
		"a line larger than the API's":            {"a.jsonl", `{"content": "` + strings.Repeat("x", maxRow) + `"}`, "! : the row is larger than 900 KiB"},
		"a cell larger than the API's":            {"a.csv", "platforms,content\nmastodon," + strings.Repeat("x", maxRow), "! : the row is larger than 900 KiB"},
		"a cell in Latin-1":                       {"a.csv", "platforms,content\nmastodon,Caf\xe9", "! : " + notUTF8.message},
		"a line in Latin-1":                       {"a.jsonl", "{\"content\": \"Caf\xe9\"}", "! : " + notUTF8.message},
		"a quote that is not closed": {
			"a.csv", "platforms,content,date\nmastodon,\"one,2026-12-01\nmastodon,\"two\",2026-12-02",
			`! : lines 2 to 3: a quote is not closed, or not doubled; a field with a quote in it is written "like ""this"""`,
		},
		"a file that ends within quotes": {
			"a.csv", "platforms,content\nmastodon,\"one",
			`! : line 2: a quote is not closed, or not doubled; a field with a quote in it is written "like ""this"""`,
		},
		"a line behind a longer than it": {"a.jsonl", strings.Repeat("x", 2*maxRow) + "\n{}", "! : the row is larger than 900 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := bodies(t, tt.file, tt.content); len(got) == 0 || got[0] != tt.want {
				t.Errorf("rows = %.200q, want %q", got, tt.want)
			}
		})
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	for name, tt := range map[string]struct{ file, content, want string }{
		"another kind of file":  {"a.xls", "", "neither .csv"},
		"no workbook":           {"a.xlsx", "platforms,text", "no workbook"},
		"an empty table":        {"a.csv", "", "empty"},
		"a table of no posts":   {"a.csv", "name,mood\n1,2", "no column for platforms"},
		"UTF-16 without a mark": {"a.csv", "p\x00l\x00", "no text in UTF-8"},
		"a column twice":        {"a.csv", "platforms,text,content\n", "two columns for content"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := openRows(tt.file, strings.NewReader(tt.content), Mapping{}, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("openRows = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// readAll reads the rows of a file, whose numbers ascend and whose bodies are JSON.
func readAll(t *testing.T, name, content string) {
	t.Helper()
	source, err := openRows(name, strings.NewReader(content), Mapping{}, nil)
	if err != nil {
		return
	}
	for before := 0; ; {
		r, err := source.next()
		if err != nil {
			return
		}
		if r.number <= before {
			t.Fatalf("row %d comes after row %d", r.number, before)
		}
		before = r.number
		if r.problem == nil && !json.Valid(r.body) {
			t.Errorf("row %d is no JSON: %q", r.number, r.body)
		}
	}
}

func FuzzTable(f *testing.F) {
	f.Add("platforms,content,date\nmastodon,\"a\nb\",2026-12-01 9:00\n")
	f.Add("platforms;media\nx|ig;https://a.test/1.png\n")
	f.Add("platforms,media,alt,mastodon.sensitive,metadata.a,queue\nmastodon:acc_1,https://a.test/1.png https://a.test/2.mp4,a|b,true,\xff,maybe\n")
	f.Fuzz(func(t *testing.T, content string) { readAll(t, "a.csv", content) })
}

func FuzzLines(f *testing.F) {
	f.Add("{\"content\": \"a\", \"platforms\": [\"mastodon\"]}\n\n{}\n[1]\nnull")
	f.Add("\uFEFF{\"scheduledFor\": \"1/2/2027\"}\r\n{\"a\": \"\xff\", \"a\": 1}")
	f.Fuzz(func(t *testing.T, content string) { readAll(t, "a.jsonl", content) })
}

// TestACalendarsHabits has what calendars have beside the columns of a post: hashtags in a column of their own and
// days of the week, as github.com/palisadeengineering/goal-achiever-pro has in marketing/content-calendar-template.csv,
// and words where there is nothing.
func TestACalendarsHabits(t *testing.T) {
	const header = "Week,Day,Date,Platform,Caption,Hashtags,Link,Time,First Comment,Alt text,Image\n"
	for name, tt := range map[string]struct {
		line, want string
		warnings   int
	}{
		"hashtags, and the day of the week": {
			line: `1,Monday,2027-02-01,LinkedIn,"Write yours #Vision today.",#Vision #Goals,https://a.test/,8:00 AM,,,`,
			want: `{"content": "Write yours #Vision today.\n\n#Goals\n\nhttps://a.test/", "platforms": [{"platform": "linkedin"}], "scheduledFor": "2027-02-01T08:00:00"}`,
		},
		"hashtags that end a sentence, or begin otherwise": {
			line: `1,,2027-02-01,X,"Ours: #Vision, #goals.",#vision #Goals,,8:00 AM,,,`,
			want: `{"content": "Ours: #Vision, #goals.", "platforms": [{"platform": "twitter"}], "scheduledFor": "2027-02-01T08:00:00"}`,
		},
		"hashtags alone": {line: `1,Mon,2027-02-01,X,,"#a, #b",,8:00 AM,,,`, want: `{"content": "#a #b", "platforms": [{"platform": "twitter"}], "scheduledFor": "2027-02-01T08:00:00"}`},
		"no hashtags":    {line: `1,Mon,2027-02-01,X,one,"goals, vision",,8:00 AM,,,`, want: `! Hashtags: "goals" is no hashtag: write each with its #`},
		"a link without its scheme": {
			line: `1,3,2027-02-01,X,one,,goalachieverpro.com,8:00 AM,,,`, want: `{"content": "one\n\ngoalachieverpro.com", "platforms": [{"platform": "twitter"}], "scheduledFor": "2027-02-01T08:00:00"}`,
		},
		"a link that is the text that a sheet shows": {line: `1,,2027-02-01,X,one,,Link in bio,8:00 AM,,,`, want: `! Link: "Link in bio" is no address: where a spreadsheet shows a text in place of one`},
		"words for nothing": {
			line: `1,,2027-02-01,X,one,n/a,N/A,8:00 AM,None,-,https://a.test/1.png`, warnings: 4,
			want: `{"content": "one", "platforms": [{"platform": "twitter"}], "scheduledFor": "2027-02-01T08:00:00", "mediaItems": [{"type": "image", "url": "https://a.test/1.png"}]}`,
		},
		"a text of a program that had none": {line: `1,,2027-02-01,X,undefined,,,8:00 AM,,,`, want: `! Caption: "undefined" is no text`},
		// What Windows-1252 makes of UTF-8, as elysiate.com/blog/utf-8-vs-windows-1252-diagnosing-mojibake-in-csv shows.
		"a text in capitals": {
			line: `1,,2027-02-01,X,«AMANHû,,,8:00 AM,,,`, want: `{"content": "«AMANHû", "platforms": [{"platform": "twitter"}], "scheduledFor": "2027-02-01T08:00:00"}`,
		},
		"a name that was read in another encoding": {line: `1,,2027-02-01,X,MÃ¼ller,,,8:00 AM,,,`, want: `! Caption: "Ã¼" stands where`},
		"a text that was read in another encoding": {line: `1,,2027-02-01,X,Itâ€™s here,,,8:00 AM,,,`, want: `! Caption: "â€" stands where a letter or an emoji was lost`},
		"a text with letters that nobody can read": {line: "1,,2027-02-01,X,Caf\uFFFD,,,8:00 AM,,,", want: "! Caption: \"\uFFFD\" stands where"},
		"letters that are not damaged":             {line: `1,,2027-02-01,X,NÃO à MÃE,,,8:00 AM,,,`, want: `{"content": "NÃO à MÃE", "platforms": [{"platform": "twitter"}], "scheduledFor": "2027-02-01T08:00:00"}`},
		"what is still to come":                    {line: `1,,2027-02-01,X,one,,,8:00 AM,TBD,,`, want: `! First Comment: "TBD" is no more than a note`},
	} {
		t.Run(name, func(t *testing.T) {
			source, err := openRows("a.csv", strings.NewReader(header+tt.line+"\n"), Mapping{Ignore: []string{"Week"}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := source.next()
			if err != nil {
				t.Fatal(err)
			}
			if r.problem != nil {
				if got := "! " + r.problem.field + ": " + r.problem.message; !strings.HasPrefix(tt.want, "!") || !strings.HasPrefix(got, tt.want) {
					t.Errorf("the row is %q, want %s", got, tt.want)
				}
			} else if !sameJSON(t, string(r.body), tt.want) || len(r.warnings) != tt.warnings {
				t.Errorf("the row is %s with %q, want %s", r.body, r.warnings, tt.want)
			}
		})
	}
}

// TestAPageThatShowsAFileIsNone has the links that people put into their files, as the guides of other programs say
// they may (help.hoopai.com/marketing/social-csv-import): fetched, they are pages.
func TestAPageThatShowsAFileIsNone(t *testing.T) {
	for address, want := range map[string]string{
		"https://drive.google.com/file/d/1aB-c_D/view?usp=sharing":                  "https://drive.google.com/uc?export=download&id=1aB-c_D",
		"https://drive.google.com/file/d/1aB-c_D/view?usp=sharing&resourcekey=0-x_": "https://drive.google.com/uc?export=download&id=1aB-c_D&resourcekey=0-x_",
		"https://drive.google.com/open?id=1aB-c_D&usp=drive_copy":                   "https://drive.google.com/uc?export=download&id=1aB-c_D",
		"https://drive.google.com/uc?export=view&id=1aB-c_D":                        "https://drive.google.com/uc?export=view&id=1aB-c_D",
		"https://www.dropbox.com/scl/fi/k3y/a.mp4?rlkey=r4&dl=0":                    "https://www.dropbox.com/scl/fi/k3y/a.mp4?dl=1&rlkey=r4",
		"https://www.dropbox.com/s/k3y/a.png?raw=1":                                 "https://www.dropbox.com/s/k3y/a.png?raw=1",
		"https://a.test/1.png?dl=0":                                                 "https://a.test/1.png?dl=0",
		"https://drive.google.com/drive/folders/1aB-c_D?usp=sharing":                "! ",
		"https://www.canva.com/design/DAF/view":                                     "! ",
		"https://youtu.be/dQw4w9WgXcQ":                                              "! ",
		"https://www.dropbox.com/scl/fo/k3y/abc?rlkey=r4&dl=0":                      "! ",
	} {
		got := bodies(t, "a.csv", "platforms,media\nmastodon,"+address+"\n")[0]
		if strings.HasPrefix(want, "!") && !strings.Contains(got, "is a page, not a file") || want[0] != '!' && !strings.Contains(got, `"url":"`+want+`"`) {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
