package importer

import (
	"strings"
	"testing"
)

func TestTimesAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]string{
		"2026-12-01T09:00:00+01:00":               "2026-12-01T09:00:00+01:00",
		"2026-12-01T09:00:00Z":                    "2026-12-01T09:00:00Z",
		"2026-12-01T09:00:00.500Z":                "2026-12-01T09:00:00.5Z",
		"2026-12-01 09:00 +01:00":                 "2026-12-01T09:00:00+01:00",
		"2026-12-01 09:00:00 -0500":               "2026-12-01T09:00:00-05:00",
		"2026-12-01T09:00":                        "2026-12-01T09:00:00",
		"  2026-12-01   9:00 ":                    "2026-12-01T09:00:00",
		"2026/12/01 09:00:30":                     "2026-12-01T09:00:30",
		"01.12.2026 09:00":                        "2026-12-01T09:00:00",
		"1.2.2027 18:05":                          "2027-02-01T18:05:00",
		"31/12/2026 09:00":                        "2026-12-31T09:00:00",
		"12/31/2026 9:00 pm":                      "2026-12-31T21:00:00",
		"5/5/2027 7am":                            "2027-05-05T07:00:00",
		"1 Dec 2026 09:00":                        "2026-12-01T09:00:00",
		"December 1, 2026 9:30 a.m.":              "2026-12-01T09:30:00",
		"1796115600":                              "2026-12-01T09:00:00Z",
		"12/31/2026 9:00\u202fAM":                 "2026-12-31T09:00:00",
		"12/31/2026, 9:00\u00a0p. m.":             "2026-12-31T21:00:00",
		"\u200e31.12.26 9:00":                     "2026-12-31T09:00:00",
		"1/23/26 17:30":                           "2026-01-23T17:30:00",
		"31-12-2026 09:00":                        "2026-12-31T09:00:00",
		"5. Dezember 2026, 9.30 Uhr":              "2026-12-05T09:30:00",
		"Samstag, 5. Dez. 2026 um 9:30 Uhr":       "2026-12-05T09:30:00",
		"5 décembre 2026 à 9h30":                  "2026-12-05T09:30:00",
		"5 de diciembre de 2026 a las 9:30 a.m.":  "2026-12-05T09:30:00",
		"5 de março de 2027 às 9h":                "2027-03-05T09:00:00",
		"5 agosto 2027 alle 9:30":                 "2027-08-05T09:30:00",
		"5 mei 2027 om 9:30":                      "2027-05-05T09:30:00",
		"Saturday, December 5th, 2026 at 9:30 PM": "2026-12-05T21:30:00",
		"2026-12-01 09:00:00.750":                 "2026-12-01T09:00:00.75",
		"12/31/2026 12:30a":                       "2026-12-31T00:30:00",
		"12/31/2026 9:30 P":                       "2026-12-31T21:30:00",
		"Jan 10, 2030 3:00 PM":                    "2030-01-10T15:00:00",
	} {
		t.Run(text, func(t *testing.T) {
			if got, err := parseWhen(text, ""); err != nil || got != want {
				t.Errorf("parseWhen = %q, %v; want %q", got, err, want)
			}
		})
	}
}

func TestTimesNobodyCanTell(t *testing.T) {
	for text, want := range map[string]string{
		"03/04/2027 09:00":     "could be either",
		"2026-12-01":           "no time of day",
		"tomorrow":             "no time crier knows",
		"2026-12-05 16:00 CST": "no time crier knows",
		"03-04-2027 09:00":     "could be either",
		"2026-13-01 09:00":     "no time crier knows",
		"2026-02-30T09:00:00":  "no time crier knows",
		"14/14/2026 09:00":     "no time crier knows",
		"":                     "no time crier knows",
	} {
		t.Run(text, func(t *testing.T) {
			if got, err := parseWhen(text, ""); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("parseWhen = %q, %v; want an error with %q", got, err, want)
			}
		})
	}
}

func TestAMonthThatThereIsNotInTheOrderThatIsSaid(t *testing.T) {
	for days, text := range map[DayOrder]string{DayFirst: "12/31/2026 09:00", MonthFirst: "31/12/2026 09:00"} {
		if got, err := parseWhen(text, days); err == nil || !strings.Contains(err.Error(), "has no month 31: dates are read "+string(days)) {
			t.Errorf("parseWhen = %q, %v", got, err)
		}
	}
}

func FuzzWhen(f *testing.F) {
	f.Add("2026-12-01 09:00")
	f.Add("31/12/2026 9:00 pm")
	f.Fuzz(func(t *testing.T, text string) {
		at, err := parseWhen(text, "")
		if err != nil {
			return
		}
		if again, err := parseWhen(at, ""); err != nil || again != at {
			t.Errorf("parseWhen(%q) = %q, which reads as %q, %v", text, at, again, err)
		}
	})
}

// TestTheZoneThatAHeaderSays has headers of calendars, which were read as if they said no zone:
// "SCHEDULED DATE (Asia/Calcutta)" of github.com/fossasia/eventyay-socialmedia/issues/23, "Time (ET)" of a
// public schedule, and others like them.
func TestTheZoneThatAHeaderSays(t *testing.T) {
	for header, want := range map[string]string{
		"SCHEDULED DATE (Asia/Calcutta)": "Asia/Calcutta", "Time (Europe/Berlin)": "Europe/Berlin", "Time - America/New_York": "America/New_York",
		"Scheduled Time (UTC)": "UTC", "date (utc)": "UTC", "Time (GMT)": "UTC",
		"Time (ET)": "? ET", "Time (EST)": "? EST", "time (est)": "? EST", "Time (PST/PDT)": "? PST", "Time (GMT/BST)": "? BST", "Time (CET, 24h)": "? CET", "Time (UTC+1)": "? UTC+1",
		"Time (GMT +05:30)": "? GMT +05:30", "Time - Eastern": "? Eastern", "Date & Time (AEST)": "? AEST",
		"Date": "", "Date (MM/DD/YYYY)": "", "Time (HH:MM)": "", "Time (24h)": "", "Date - Intl. format or prompt": "", "Time (best)": "", "Date (jour et heure)": "",
	} {
		zone, unclear := zoneOf(header)
		if unclear != "" {
			zone = "? " + unclear
		}
		if zone != want {
			t.Errorf("zoneOf(%q) = %q, want %q", header, zone, want)
		}
	}
}

func TestTimesAreInTheZoneOfTheirHeader(t *testing.T) {
	got := read(t, "later", "", "Date (Asia/Calcutta),Time,Platform\n2026-12-05,09:00,X\n2026-12-05,09:00Z,X\n")
	if len(got) != 2 || !sameJSON(t, got[0], `{"platforms": [{"platform": "twitter"}], "scheduledFor": "2026-12-05T09:00:00", "timezone": "Asia/Calcutta"}`) ||
		!sameJSON(t, got[1], `{"platforms": [{"platform": "twitter"}], "scheduledFor": "2026-12-05T09:00:00Z"}`) {
		t.Errorf("rows = %q", got)
	}
	got = read(t, "later", "", "Date (EST),Time,Platform,timezone\n2026-12-05,09:00,X,America/New_York\n")
	if len(got) != 1 || !strings.Contains(got[0], `"timezone":"America/New_York"`) {
		t.Errorf("rows = %q", got)
	}
	later, err := ReadMapping("later")
	if err != nil {
		t.Fatal(err)
	}
	var said Mapping
	said.Mean("Time (EST)", "time")
	if err := said.Check(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		content string
		m       Mapping
		want    string
	}{
		{"Date,Time (EST),Platform\n2026-12-05,09:00,X\n", later, `EST, that could be several: add --column "time=Time (EST)" --timezone ZONE`},
		{"Date,Time (EST),Platform\n2026-12-05,09:00,X\n", Mapping{}, `--column "time=Time (EST)" --timezone ZONE`},
		{"Date,Time (EST),Platform\n2026-12-05,09:00,X\n", said, ""},
		{"Date (UTC),Time (Europe/Berlin),Platform\n2026-12-05,09:00,X\n", later, "two time zones, UTC and Europe/Berlin"},
		{"Datum (MEZ),Platform\n2026-12-05 09:00,X\n", Mapping{}, `--column "scheduledFor=Datum (MEZ)" --timezone ZONE`},
	} {
		err := surveyed(t, "a.csv", tt.content, tt.m)
		if (tt.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.content, err, tt.want)
		}
	}
}
