package importer

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf16"
)

func inUTF16(text string, big bool) string {
	var b bytes.Buffer
	for _, unit := range utf16.Encode([]rune("\uFEFF" + text)) {
		if big {
			b.Write([]byte{byte(unit >> 8), byte(unit)})
		} else {
			b.Write([]byte{byte(unit), byte(unit >> 8)})
		}
	}
	return b.String()
}

// TestFilesAsProgramsWriteThem has one calendar of two rows in all the ways of writing text.
func TestFilesAsProgramsWriteThem(t *testing.T) {
	const calendar = "platforms,content,draft\nmastodon,\"one\ntwo, three\",WAHR\nmastodon,Crème,FAUX\n"
	semicolons := strings.NewReplacer("platforms,content,draft", "platforms;content;draft", "mastodon,", "mastodon;", ",WAHR", ";WAHR", ",FAUX", ";FAUX").Replace(calendar)
	for name, tt := range map[string]struct {
		content string
		exact   bool // what failed can be copied as it is
	}{
		"line feeds":                   {calendar, true},
		"both":                         {strings.ReplaceAll(calendar, "\n", "\r\n"), true},
		"carriage returns":             {strings.ReplaceAll(calendar, "\n", "\r"), true},
		"a mark of the byte order":     {"\uFEFF" + calendar, true},
		"semicolons":                   {semicolons, true},
		"semicolons that are said":     {"sep=;\r\n" + strings.ReplaceAll(semicolons, "\n", "\r\n"), true},
		"tabs":                         {strings.ReplaceAll(semicolons, ";", "\t"), true},
		"UTF-16":                       {inUTF16(calendar, false), false},
		"UTF-16, high bytes first":     {inUTF16(calendar, true), false},
		"UTF-16 of tabs, with both":    {inUTF16(strings.ReplaceAll(strings.ReplaceAll(semicolons, ";", "\t"), "\n", "\r\n"), false), false},
		"empty columns at the end":     {strings.NewReplacer("draft\n", "draft,,\n", "WAHR\n", "WAHR,,\n", "FAUX\n", "FAUX,,,,\n").Replace(calendar), true},
		"empty lines before and after": {"\n\n" + calendar + "\n,,\n\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			source, err := openRows("a.csv", strings.NewReader(tt.content), Mapping{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var copied bytes.Buffer
			if err := source.copyHead(&copied); err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{`{"content": "one\ntwo, three", "platforms": [{"platform": "mastodon"}], "status": "draft"}`, `{"content": "Crème", "platforms": [{"platform": "mastodon"}]}`} {
				r, err := source.next()
				if err != nil || r.problem != nil {
					t.Fatalf("the row is %+v, %v", r.problem, err)
				}
				if !sameJSON(t, string(r.body), want) {
					t.Errorf("the body is %s, want %s", r.body, want)
				}
				if err := source.copyRow(&copied); err != nil {
					t.Fatal(err)
				}
			}
			if tt.exact && !strings.HasPrefix(tt.content, copied.String()) {
				t.Errorf("copied is %q of %q", copied.String(), tt.content)
			}
			if got := bodies(t, "failed.csv", copied.String()); len(got) != 2 {
				t.Errorf("copied is %q: %q", copied.String(), got)
			}
		})
	}
}

func TestWordsAsPeopleWriteThem(t *testing.T) {
	for word, want := range map[string]bool{
		"TRUE": true, "wahr": true, "VRAI": true, "VERDADERO": true, "SÍ": true, "SI\u0301": true, "Verdadeiro": true, "VERO": true, "WAAR": true, "ja": true, "x": true, "✓": true,
		"FALSE": false, "FALSCH": false, "FAUX": false, "FALSO": false, "ONWAAR": false, "não": false, "nein": false, "": false, "0": false,
	} {
		if got, err := yes(word); err != nil || got != want {
			t.Errorf("yes(%q) = %t, %v", word, got, err)
		}
	}
	if _, err := yes("vielleicht"); err == nil {
		t.Error("maybe is neither")
	}
	for word, want := range map[string]string{
		"Draft": "draft", "DRAFT": "draft", "Entwurf": "draft", "scheduled": "scheduled", "Programmé": "scheduled", "In Review": "draft", "review": "draft", "Yes": "scheduled", "FALSE": "draft", "": "", "-": "-", "X": "X", "Posted": published, "Veröffentlicht": published,
		"immediate": "immediate", "cancelled": "cancelled",
	} {
		if got := statusOf(word); got != want {
			t.Errorf("statusOf(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestFormulasThatFailedRefuseTheirRow(t *testing.T) {
	for cell, want := range map[string]string{
		"#NAME?": "#NAME?", "#REF!": "#REF!", "see #REF!": "#REF!", "#N/A": "#N/A", "#WERT!": "#WERT!", "#¿NOMBRE?": "#¿NOMBRE?", "#NOM?": "#NOM?", "#DIV/0!": "#DIV/0!",
		"#NAMEIT": "", "#VALUES!": "", "Las Vegas #NV": "", "Err:509": "Err:509", "Err:50": "", "see Err:509": "", "a#REF!b": "", "#1": "",
	} {
		if got := failedFormula(cell); got != want {
			t.Errorf("failedFormula(%q) = %q, want %q", cell, got, want)
		}
	}
	got := bodies(t, "a.csv", "platforms,text,metadata.owner\nmastodon,#NAME?,\nmastodon,fine,#REF!\n")
	if len(got) != 2 || !strings.HasPrefix(got[0], "! text: #NAME? is what a spreadsheet shows") || !strings.HasPrefix(got[1], "! metadata.owner: #REF!") {
		t.Errorf("rows = %q", got)
	}
}
