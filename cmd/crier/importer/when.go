package importer

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/xuri/excelize/v2"
)

// wallTime is the form in which times without a zone are sent: crier reads them in the time
// zone of the row, or of the import.
const wallTime = "2006-01-02T15:04:05"

var (
	dates  = []string{"2006-01-02", "2006-1-2", "2006/1/2", "2006.1.2", "2 Jan 2006", "Jan 2 2006"}
	clocks = []string{"15:04", "15:04:05", "15:04:05.999", "3:04PM", "3:04 PM", "3:04:05 PM", "3PM", "3 PM"}
	zones  = []string{"", "Z07:00", " Z07:00", " -0700", "-0700"}

	isoTime = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T`)
	// ordered is a date in which the day may come before the month or after it.
	ordered    = regexp.MustCompile(`^(\d{1,2})([/.-])(\d{1,2})([/.-])(\d{4}|\d{2})(?:\D|$)`)
	seconds    = regexp.MustCompile(`^\d{10}$`)
	clockAlone = regexp.MustCompile(`^\d{1,2}[:.h]\d{2}\b`)

	words       = regexp.MustCompile(`[\p{L}.]+`)
	ordinal     = regexp.MustCompile(`\b(\d{1,2})(?:st|nd|rd|th|er|º|ª)\b`)
	numberedDay = regexp.MustCompile(`\b(\d{1,2})\. ?(\p{L})`)
	hours       = regexp.MustCompile(`\b(\d{1,2}) ?h(?: ?(\d{2}))?\b`)
	dottedClock = regexp.MustCompile(` (\d{1,2})\.(\d{2})( |$)`)
	halfDay     = regexp.MustCompile(`(?i)(:\d{2}) ?([ap])$`) // 12:30a is no 12:30 to a reader who skips "a"
	meridiem    = regexp.MustCompile(`(?i)(\d) ?([ap])\.? ?m\b\.?`)
)

// parseWhen reads the time of a row in the ways people write one, and returns it as the
// API takes it: with its offset, or as wall time.
func parseWhen(text string, days DayOrder) (string, error) {
	text = strings.Join(strings.Fields(strings.Map(printed, text)), " ")
	if seconds.MatchString(text) {
		unix, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", fmt.Errorf("%q is no time: %w", text, err)
		}
		return time.Unix(unix, 0).UTC().Format(time.RFC3339), nil
	}
	plain, err := orderDate(inEnglish(text), days)
	if err != nil {
		return "", err
	}
	for _, date := range dates {
		for _, between := range []string{" ", "T"} {
			if !strings.Contains(plain, between) {
				continue // dozens of layouts less to try
			}
			for _, clock := range clocks {
				for _, zone := range zones {
					at, err := time.Parse(date+between+clock+zone, plain)
					if err != nil {
						continue
					}
					if zone == "" {
						return at.Format(wallTime + ".999999999"), nil
					}
					return at.Format(time.RFC3339Nano), nil
				}
			}
		}
		if _, err := time.Parse(date, plain); err == nil {
			return "", fmt.Errorf("%q has no time of day", text)
		}
	}
	return "", fmt.Errorf("%q is no time crier knows; write it like 2026-12-01 09:00 or 2026-12-01T09:00:00+01:00", text)
}

var (
	// explained is what the name of a column says in brackets, or behind a dash.
	explained = regexp.MustCompile(`(?: - |\().*`)
	namedZone = regexp.MustCompile(`[A-Z][A-Za-z]+(?:/[A-Za-z_-]+)+`)
	offset    = regexp.MustCompile(`(?i)\b(?:UTC|GMT) ?[+−-] ?\d[\d:]*`)
	universal = regexp.MustCompile(`(?i)\b(?:UTC|GMT)\b`)
	// shortZone is what zones are called for short: several the same, and one in summer and winter otherwise.
	shortZone = regexp.MustCompile(`\b(?:[ECMP][SD]?T|AK[SD]T|HST|A[ECW]?[SD]T|NZ[SD]?T|BST|IST|CES?T|EES?T|WES?T|MES?Z|MSK|TRT|GST|PKT|WIB|SGT|HKT|PHT|JST|KST|SAST|WAT|CAT|EAT|BRT|ART)\b` +
		`|(?i:\b(?:eastern|central|mountain|pacific)\b)`)
	shortAlone = regexp.MustCompile(`^[( -]*(\pL{2,4})\)?$`)
)

// zoneOf is the time zone that the name of a column says, such as "Time (Europe/Berlin)", or what it says
// of one that is not of one zone alone, such as "Time (EST)": in summer New York has another.
func zoneOf(header string) (zone, unclear string) {
	said := explained.FindString(header)
	for _, name := range namedZone.FindAllString(said, -1) {
		if _, err := time.LoadLocation(name); err == nil {
			return name, ""
		}
	}
	if alone := shortAlone.FindStringSubmatch(said); alone != nil {
		said = strings.ToUpper(alone[1])
	}
	switch short := shortZone.FindString(said); {
	case offset.MatchString(said):
		return "", offset.FindString(said)
	case short != "": // beside GMT too, as in GMT/BST
		return "", short
	case universal.MatchString(said):
		return "UTC", ""
	default:
		return "", ""
	}
}

// printed drops marks of the direction of writing, which spreadsheets put around times.
func printed(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}

// inEnglish writes the names of months, and times of the day, as layouts have them: "5. Dezember
// 2026, 9.30 Uhr" becomes "5 Dec 2026 9:30". What it does not know stays, and makes no time.
func inEnglish(text string) string {
	if isoTime.MatchString(text) {
		return text
	}
	if !strings.ContainsFunc(text, unicode.IsLetter) {
		return dottedClock.ReplaceAllString(strings.Join(strings.Fields(strings.ReplaceAll(text, ",", " ")), " "), " $1:$2$3")
	}
	text = strings.ReplaceAll(text, ",", " ")
	text = ordinal.ReplaceAllString(text, "$1")
	text = numberedDay.ReplaceAllString(text, "$1 $2")
	text = hours.ReplaceAllStringFunc(text, func(found string) string {
		parts := hours.FindStringSubmatch(found)
		if parts[2] == "" {
			parts[2] = "00"
		}
		return parts[1] + ":" + parts[2]
	})
	text = halfDay.ReplaceAllString(text, "$1 ${2}m")
	text = meridiem.ReplaceAllStringFunc(text, func(found string) string {
		parts := meridiem.FindStringSubmatch(found)
		return parts[1] + " " + strings.ToUpper(parts[2]) + "M"
	})
	text = words.ReplaceAllStringFunc(text, func(word string) string {
		name := strings.Trim(stripMarks(strings.ToLower(word)), ".")
		if month := monthNames[name]; month != "" {
			return month
		}
		if fillers[name] {
			return ""
		}
		return word
	})
	text = strings.Join(strings.Fields(text), " ")
	return dottedClock.ReplaceAllString(text, " $1:$2$3")
}

// monthNames are the names of months without their accents, in the languages of yes and no.
var monthNames = monthsOf(
	"jan january januar janner janvier janv enero ene janeiro gennaio gen januari",
	"feb february februar fevrier fevr fev febrero fevereiro febbraio februari",
	"mar march marz maerz mrz mars marzo marco maart mrt",
	"apr april avril avr abril abr aprile",
	"may mai mayo maio maggio mag mei",
	"jun june juni juin junio junho giugno giu",
	"jul july juli juillet juil julio julho luglio lug",
	"aug august aout agosto ago augustus",
	"sep sept september septembre septiembre setiembre setembro set settembre",
	"oct october oktober okt octobre octubre outubro out ottobre ott",
	"nov november novembre noviembre novembro",
	"dec december dezember dez decembre diciembre dic dezembro dicembre", //nolint:misspell // French
)

func monthsOf(names ...string) map[string]string {
	all := map[string]string{}
	for i, line := range names {
		for _, name := range strings.Fields(line) {
			all[name] = time.Month(i + 1).String()[:3]
		}
	}
	return all
}

// fillers are words within dates: prepositions, days of the week.
var fillers = fillersOf(`de del of at um uhr a as alle om las el le les den dem der die on
	monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
	montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so
	lundi mardi mercredi jeudi vendredi samedi dimanche
	lunes martes miercoles jueves viernes sabado domingo
	segunda-feira terca-feira quarta-feira quinta-feira sexta-feira segunda terca quarta quinta sexta
	lunedi martedi mercoledi giovedi venerdi sabato domenica
	maandag dinsdag woensdag donderdag vrijdag zaterdag zondag`)

func fillersOf(text string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(text) {
		all[word] = true
	}
	return all
}

// orderDate writes 13/2/2026, 2/13/2026 and 13.2.2026 as 2026-02-13, and refuses 2/3/2026 unless
// the order is known. Where dots stand between, the day is first.
func orderDate(text string, days DayOrder) (string, error) {
	parts := ordered.FindStringSubmatch(text)
	if parts == nil || parts[2] != parts[4] || parts[2] == "-" && len(parts[5]) == 2 {
		return text, nil
	}
	first, second, year := number(parts[1]), number(parts[3]), parts[5]
	if len(year) == 2 {
		year = "20" + year
	}
	written := parts[1] + parts[2] + parts[3] + parts[4] + parts[5]
	month, day := first, second
	switch {
	case parts[2] == "." || days == DayFirst || days == "" && first > 12 && second <= 12:
		month, day = second, first
	case days == MonthFirst:
	case second > 12 && first <= 12:
	case first == second:
	default:
		return "", errors.New("the day and the month of " + written + " could be either: write it like 2026-12-01, or say --days day-first or month-first")
	}
	if days != "" && month > 12 {
		return "", fmt.Errorf("%s has no month %d: dates are read %s", written, month, days)
	}
	return fmt.Sprintf("%s-%02d-%02d", year, month, day) + text[len(written):], nil
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // at most two digits, by the pattern
	return n
}

// serialTime is a cell of a sheet's column of times: a number counts days. Its fraction is the time of the day.
func serialTime(cell string, since1904 bool) string {
	days, err := strconv.ParseFloat(cell, 64)
	if err != nil || days < 0 || days >= 2958466 { // a text, or a number beyond the year 9999
		return cell
	}
	at, err := excelize.ExcelDateToTime(days, since1904)
	if err != nil {
		return cell
	}
	at = at.Round(time.Second)
	switch {
	case days < 1:
		return at.Format("15:04:05")
	case at.Equal(at.Truncate(24 * time.Hour)):
		return at.Format(time.DateOnly)
	default:
		return at.Format(time.DateTime)
	}
}
