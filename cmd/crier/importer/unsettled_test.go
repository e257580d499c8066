package importer

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// surveyed is what reading all of a file finds before anything is sent.
func surveyed(t *testing.T, name, content string, m Mapping) error {
	t.Helper()
	source, err := openRows(name, strings.NewReader(content), m, nil)
	if err != nil {
		return err
	}
	defer source.close()
	return new(survey).read(source)
}

func TestValuesOfUnsettledMeaningStopAnImport(t *testing.T) {
	for name, tt := range map[string]struct {
		content string
		want    []string // of the error; none: there is no error
	}{
		"a calendar whose text nobody knows": {
			"Date,Time,Channel,Title,Copy,Link,Media URL,Labels\n2026-12-05,09:00,mastodon,T,hello,https://example.com,https://example.com/a.jpg,x\n",
			[]string{`"Copy", in 1 row, first in row 1: "hello": looks like the text`, "--column text=Copy --column metadata.labels=Labels", "--map loomly"},
		},
		"a note of which nobody says what it is": {
			"platforms,text,Internal notes\nmastodon,a,\nmastodon,b,ask Bob\nmastodon,c,$5\n",
			[]string{`"Internal notes", in 2 rows, first in row 2: "ask Bob"`, `--ignore "Internal notes"`},
		},
		"a column without a name": {"platforms,text,\nmastodon,a,b\n", []string{`"column 3"`, `--ignore "column 3"`}},
		"somebody else's ids":     {"platforms,text,ID\nmastodon,a,17\n", []string{`"ID"`, "--column externalId=ID"}},
		"a second column of texts": {
			"platforms,text,Caption Text\nmastodon,a,b\n", []string{"looks like the text, which another column is already", `--column "FIELD=Caption Text"`},
		},
		"what looks like dates, links and texts is not offered to be left out": {
			"platforms,text,Approved,Source,Briefing,Ref 2\nmastodon,a,12/1/2026,https://example.com/," + strings.Repeat("word ", 20) + ",x\n",
			[]string{"--column FIELD=Approved --column FIELD=Source --column FIELD=Briefing --ignore \"Ref 2\""},
		},
		"a column for a time of the day that has a day, too": {"platforms,text,Posting Time\nmastodon,a,2026-12-08 09:15\n", []string{`--column "scheduledFor=Posting Time"`}},
		"a program's table, whose platforms are said": {
			template(t, "publer-2026.csv"), []string{"the header looks like that of publer: add --map publer and --platforms"},
		},
		"a program's table": {template(t, "metricool-2026.csv"), []string{"the header looks like that of metricool: add --map metricool"}},
		"a column for each platform": {
			"When,Text,Mastodon,Telegram,X\n12/31/2026 9:00 AM,a,x,,x\n",
			[]string{`("Mastodon", "Telegram", "X" look like it: --column platform.mastodon=Mastodon --column platform.telegram=Telegram --column platform.twitter=X)`},
		},
		"a column for each platform, beside one of platforms": {
			"platforms,text,LinkedIn,FB note\nmastodon,a,yes,short\n", []string{`"LinkedIn", in 1 row, first in row 1: "yes": looks like whether posts go to linkedin`, `--column platform.linkedin=LinkedIn --column "FIELD=FB note"`},
		},
		// The bulk scheduler of HighLevel, as help.hoopai.com/marketing/social-csv-import describes it.
		"settings of platforms are not offered to be left out": {
			"postAtSpecificTime (YYYY-MM-DD HH:mm:ss),content,followUpComment,gbpPostType,youtubePrivacy,platform\n2026-12-31 09:00:00,a,b,EVENT,PRIVATE,x\n",
			[]string{"--column firstComment=followUpComment", "--column FIELD=gbpPostType --column FIELD=youtubePrivacy"},
		},
		// github.com/draphael123/content-calenderv2, SPREADSHEET_FORMAT_GUIDE.md: comments are the team's.
		"comments may be a team's": {"platforms,text,comments\nmastodon,a,ask Bob\n", []string{"--column FIELD=comments"}},
		"an approval":              {"platforms,text,Approved\nmastodon,a,No\n", []string{"--column status=Approved"}},
		"a cover is no second picture": {
			"platforms,text,image,Thumbnail\nmastodon,a,https://a.test/1.mp4,https://a.test/1.png\n", []string{"--column FIELD=Thumbnail"},
		},
		"a title":                            {"Content plan for December,,\n,,\nplatforms,text,date\nmastodon,a,\n", []string{`the line "platforms, text, date"`, `"Content plan for December", which names no columns`}},
		"two columns of a name":              {"platforms,content,content\nmastodon,a,b\n", []string{`two columns called "content"`}},
		"no header":                          {"Happy Monday,5 Dec\n", []string{`as the first line of the file it has "Happy Monday", "5 Dec"`}},
		"columns that nobody has filled":     {"platforms,text,Copy,,\nmastodon,a,,,\n", nil},
		"ids of crier's":                     {"platforms,text,id\nmastodon,a,post_01m83y6jy2fgwsj3hck3m2jrhr\n", nil},
		"a header, and no platforms, German": {"Inhalt;Plattform\nHallo;mastodon\n", []string{"no column for platforms", `--column platforms=Plattform`}},
		"German":                             {"platforms;Datum;Uhrzeit;Inhalt;Bild\nx;5.12.2026;9:00;Hallo;\n", []string{"--column date=Datum --column time=Uhrzeit --column text=Inhalt"}},
		"French":                             {"platforms;Légende;Heure;Réseau\nx;Bonjour;9h;y\n", []string{"text=", "Légende", "time=Heure", "Réseau"}},
		"Spanish":                            {"platforms,Contenido,Fecha\nx,Hola,2026-12-05\n", []string{"text=Contenido", "date=Fecha"}},
		"Portuguese":                         {"platforms,Conteúdo,Mídia\nx,Olá,https://a.test/1.png\n", []string{`"text=Conteúdo"`, `"media=Mídia"`}},
		"Italian":                            {"platforms,Testo,Immagine\nx,Ciao,https://a.test/1.png\n", []string{"text=Testo", "media=Immagine"}},
		"Dutch":                              {"platforms,Tekst,Afbeelding\nx,Hoi,https://a.test/1.png\n", []string{"text=Tekst", "media=Afbeelding"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := surveyed(t, "a.csv", tt.content, Mapping{})
			if len(tt.want) == 0 && err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %v, without %q", err, want)
				}
			}
		})
	}
}

// TestAProgramsTableIsKnownByItsHeader says where the posts go, and not whose table it is.
func TestAProgramsTableIsKnownByItsHeader(t *testing.T) {
	for name, program := range map[string]string{"publer-2026.csv": "publer", "buffer-upload.csv": "buffer"} {
		err := surveyed(t, "a.csv", template(t, name), Mapping{Platforms: "mastodon"})
		if err == nil || !strings.HasPrefix(err.Error(), "the header looks like that of "+program+": add --map "+program+"; without it") {
			t.Errorf("%s: %v", name, err)
		}
		for _, column := range []string{"Date", "Link", "Media", "Label", "Posting"} {
			if err != nil && strings.Contains(err.Error(), `--ignore "`+column) {
				t.Errorf("%s: it is offered to leave out %s: %v", name, column, err)
			}
		}
	}
}

func TestColumnsAreSettledByName(t *testing.T) {
	const calendar = "platforms,Copy,Internal notes\nmastodon,hello,ask Bob\n"
	var m Mapping
	m.Mean("copy", "text")
	m.Ignore = []string{"internal notes"}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	if err := surveyed(t, "a.csv", calendar, m); err != nil {
		t.Error(err)
	}
	if got := translate(t, m, calendar); !sameJSON(t, got, `{"platforms": [{"platform": "mastodon"}], "content": "hello"}`) {
		t.Errorf("the body is %s", got)
	}
	for name, m := range map[string]Mapping{"to mean": {Named: []string{"Kopy"}}, "to ignore": {Ignore: []string{"Kopy"}}} {
		if err := surveyed(t, "a.csv", calendar, m); err == nil || !strings.Contains(err.Error(), `no column "Kopy"`) {
			t.Errorf("a column %s that is not there: %v", name, err)
		}
	}
}

func TestAFileWithoutRowsIsRefused(t *testing.T) {
	for name, content := range map[string]string{"a.csv": "platforms,text\n", "b.csv": "platforms,text\n,\n\n", "c.jsonl": "\n\n"} {
		if err := surveyed(t, name, content, Mapping{}); !errors.Is(err, errNoRows) {
			t.Errorf("%s %q: %v", name, content, err)
		}
	}
}

// templates are the columns of other programs' tables, as these write them.
func template(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/templates/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTemplatesOfOtherProgramsAreCoveredWhole(t *testing.T) {
	files, err := os.ReadDir("testdata/templates")
	if err != nil {
		t.Fatal(err)
	}
	covered := map[string]bool{}
	for _, f := range files {
		t.Run(f.Name(), func(t *testing.T) {
			name, _, _ := strings.Cut(f.Name(), ".")
			name, _, _ = strings.Cut(name, "-")
			covered[name] = true
			m, err := ReadMapping(name)
			if err != nil {
				t.Fatal(err)
			}
			m.Platforms = "mastodon"
			source, err := openRows("a.csv", strings.NewReader(template(t, f.Name())), m, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range source.(*table).headings {
				if _, settled := m.settles(h.name); !settled && columnOf(h.name).field == "" {
					t.Errorf("nobody says what %q means", h.name)
				}
			}
			for {
				r, err := source.next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil || r.problem != nil {
					t.Errorf("row %d: %+v, %v", r.number, r.problem, err)
					break
				}
			}
			if err := source.(*table).unsettled(); err != nil {
				t.Error(err)
			}
		})
	}
	for _, name := range Mappings() {
		if !covered[name] {
			t.Errorf("there is no template of %s", name)
		}
	}
}
