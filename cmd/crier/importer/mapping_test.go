package importer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crier/client"
)

// translate reads the only row of a table that another program wrote.
func translate(t *testing.T, m Mapping, content string) string {
	t.Helper()
	source, err := openRows("a.csv", strings.NewReader(content), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := source.next()
	if err != nil || r.problem != nil {
		t.Fatalf("the row is %+v, %v", r.problem, err)
	}
	if _, err := source.next(); !errors.Is(err, io.EOF) {
		t.Errorf("there is another row: %v", err)
	}
	return string(r.body)
}

func TestFilesOfOtherProgramsAreRead(t *testing.T) {
	for name, tt := range map[string]struct {
		content string
		more    Mapping
		want    string
	}{
		"buffer": {
			"Text,Image URL,Tags,Posting Time\nHello,https://a.test/1.png,spring,2026-12-01 09:00\n", Mapping{Platforms: "linkedin"},
			`{"platforms": [{"platform": "linkedin"}], "content": "Hello", "scheduledFor": "2026-12-01T09:00:00", "metadata": {"tags": "spring"},
			  "mediaItems": [{"type": "image", "url": "https://a.test/1.png"}]}`,
		},
		"hootsuite": {
			"03/04/2026 18:30,\"Hello, you\",https://a.test/\n", Mapping{Platforms: "x", Days: MonthFirst},
			`{"platforms": [{"platform": "twitter"}], "content": "Hello, you\n\nhttps://a.test/", "scheduledFor": "2026-03-04T18:30:00"}`,
		},
		"SocialPilot": {
			"\"Hello; you; and you; again; and; once; more; often\",\"https://a.test/1.png; https://a.test/2.png\",\"Jan 10, 2030 3:00 PM\",\"12345\",\"First\",\"spring;summer\",\"https://a.test/\"\n",
			Mapping{Platforms: "facebook", Names: map[string]string{"12345": "linkedin:acc_1"}},
			`{"platforms": [{"platform": "linkedin", "accountId": "acc_1"}], "content": "Hello; you; and you; again; and; once; more; often\n\nhttps://a.test/", "scheduledFor": "2030-01-10T15:00:00",
			  "firstComment": "First", "metadata": {"tags": "spring;summer"},
			  "mediaItems": [{"type": "image", "url": "https://a.test/1.png"}, {"type": "image", "url": "https://a.test/2.png"}]}`,
		},
		"Sprout": {
			"date,time_24hr,message_text\n03/04/2026,18:30,Hello\n", Mapping{Platforms: "facebook:acc_1", Days: DayFirst},
			`{"platforms": [{"platform": "facebook", "accountId": "acc_1"}], "content": "Hello", "scheduledFor": "2026-04-03T18:30:00"}`,
		},
		"publer": {
			"Date,Text,Link(s),Media URL(s),Title,Label(s),Alt text(s),Comment(s)\n2029-11-19 20:35,Hello,,https://a.test/1.png,A title,spring,One,First\n",
			Mapping{Platforms: "pinterest"},
			`{"platforms": [{"platform": "pinterest"}], "content": "Hello", "scheduledFor": "2029-11-19T20:35:00", "firstComment": "First", "metadata": {"labels": "spring"},
			  "platformSettings": {"pinterest": {"title": "A title"}}, "mediaItems": [{"type": "image", "url": "https://a.test/1.png", "altText": "One"}]}`,
		},
		"metricool": {
			"Text,Date,Time,Draft,Facebook,Twitter/X,Picture Url 1,Picture Url 2,Alt text picture 2,Shortener,First Comment Text\n" +
				"Hello,2026-12-01,09:00:00,,yes,FALSE,https://a.test/1.png,https://a.test/2.mp4,Two,no,First\n", Mapping{},
			`{"platforms": [{"platform": "facebook"}], "content": "Hello", "scheduledFor": "2026-12-01T09:00:00", "firstComment": "First",
			  "mediaItems": [{"type": "image", "url": "https://a.test/1.png"}, {"type": "video", "url": "https://a.test/2.mp4", "altText": "Two"}]}`,
		},
		"../../../docs/samples/mapping.yaml": {
			"Copy,When,Channel,Asset\nHello,2026-12-01 09:00,mastodon,https://a.test/1.png\n", Mapping{},
			`{"platforms": [{"platform": "mastodon"}], "content": "Hello", "scheduledFor": "2026-12-01T09:00:00", "mediaItems": [{"type": "image", "url": "https://a.test/1.png"}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := ReadMapping(name)
			if err != nil {
				t.Fatal(err)
			}
			if tt.more.Platforms != "" {
				m.Platforms, m.Days, m.Names = tt.more.Platforms, tt.more.Days, tt.more.Names
			}
			if got := translate(t, m, tt.content); !sameJSON(t, got, tt.want) {
				t.Errorf("the body is %s, want %s", got, tt.want)
			}
		})
	}
}

func TestAMappingSaysWhatIsWrongWithIt(t *testing.T) {
	for content, want := range map[string]string{
		"columns: {Copy: contents}":                 `"contents"`,
		"column: {Copy: content}":                   "column",
		"days: dmy":                                 "day-first",
		"platforms: myspace":                        "myspace",
		"header: [scheduledFor, contents]":          `"contents"`,
		"columns: {a: {to: content, for: myspace}}": "myspace",
		"columns: {a: {too: content}}":              "too",
		"fit: stretch":                              "contain",
	} {
		file := filepath.Join(t.TempDir(), "map.yaml")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadMapping(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", content, err, want)
		}
	}
	if _, err := ReadMapping("planable"); err == nil || !strings.Contains(err.Error(), "metricool") {
		t.Errorf("a name that is none: %v", err)
	}
}

func TestProblemsAreCountedByReason(t *testing.T) {
	outcomes := []outcome{
		{row: 1, status: failed, notes: []note{{"date", codeInvalid, "the day and the month of 12/1/2026 could be either"}, {"timezone", codeInvalid, `"Berlin" is no zone; write another`}}},
		{row: 2, status: failed, notes: []note{{"date", codeInvalid, "the day and the month of 11/2/2026 could be either"}}},
		{row: 3, status: failed, notes: []note{{"date", codeInvalid, `"2026-12-06" has no time of day`}}},
		{row: 4, status: created, notes: []note{{"Shortener", codeLeftOut, "crier shortens no links"}, {"mediaItems[0]", "metadata_kept", "x"}, {"mediaItems[1]", "metadata_kept", "x"}}},
		{row: 5, status: created, notes: []note{{"", "late", "y"}, {"mediaItems[0]", "metadata_kept", "x"}}},
		{row: 6, status: created},
	}
	var results, table bytes.Buffer
	w := csv.NewWriter(&results)
	_ = w.Write(resultsHeader)
	for _, o := range outcomes {
		_ = w.Write(o.record())
	}
	w.Flush()
	if err := writeProblems(&table, &results); err != nil {
		t.Fatal(err)
	}
	want := `STATUS   FIELD         CODE           ROWS  FIRST ROW  WHAT
failed   date          invalid_row    2     1          the day and the month of 12/1/2026 could be either
failed   timezone      invalid_row    1     1          "Berlin" is no zone; write another
failed   date          invalid_row    1     3          "2026-12-06" has no time of day
warning  mediaItems[]  metadata_kept  2     4          x
warning  Shortener     left_out       1     4          crier shortens no links
warning  -             late           1     5          y
`
	if table.String() != want {
		t.Errorf("the table is\n%swant\n%s", table.String(), want)
	}
}

func TestTheSampleIsAsTheDocumentsSay(t *testing.T) {
	content, err := os.ReadFile("../../../docs/samples/calendar.csv")
	if err != nil {
		t.Fatal(err)
	}
	for i, body := range bodies(t, "calendar.csv", string(content)) {
		if strings.HasPrefix(body, "!") != (i == 4) { // its fifth row shows what is wrong with one
			t.Errorf("row %d: %s", i+1, body)
		}
	}
	results, err := os.Open("../../../docs/samples/calendar.csv.results.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer results.Close()
	var table bytes.Buffer
	if err := writeProblems(&table, results); err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile("../../../docs/import.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(document), table.String()); n != 2 { // of a check and of the import
		t.Errorf("the document has the table %d times:\n%s", n, table.String())
	}
}

// TestNamesOfAccountsHaveCommas: pages are called "Acme, Inc.".
func TestNamesOfAccountsHaveCommas(t *testing.T) {
	k := &known{accounts: []client.Account{{ID: "acc_1", Platform: "facebook", Name: "Acme, Inc."}, {ID: "acc_2", Platform: "linkedin", Name: "Bob"}}}
	for cells, want := range map[string]string{
		`"Acme, Inc.",`:            `[{"platform":"facebook","accountId":"acc_1"}]`,
		`"Acme, Inc. | Bob",`:      `[{"platform":"facebook","accountId":"acc_1"},{"platform":"linkedin","accountId":"acc_2"}]`,
		`"Bob, Instagram",`:        `[{"platform":"linkedin","accountId":"acc_2"},{"platform":"instagram"}]`,
		`facebook,"Acme, Inc."`:    `[{"platform":"facebook","accountId":"acc_1"}]`,
		`"facebook","Acme, Corp."`: `! there are 2 accounts for 1 platforms`,
	} {
		header := "profile,accounts\n"
		if strings.Contains(cells, "facebook") {
			header = "platforms,accounts\n"
		}
		source, err := openRows("a.csv", strings.NewReader(header+cells+"\n"), Mapping{}, k)
		if err != nil {
			t.Fatal(err)
		}
		r, err := source.next()
		if err != nil {
			t.Fatal(err)
		}
		got := string(r.body)
		if r.problem != nil {
			got = "! " + r.problem.message
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", cells, got, want)
		}
	}
}
