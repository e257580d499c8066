package importer

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"crier/schema"
)

var withoutJoints = strings.NewReplacer(" ", "", "\u00a0", "", "_", "", "-", "")

// plainName is a name as it is compared: without case, spaces, underscores and hyphens.
func plainName(name string) string {
	return withoutJoints.Replace(strings.ToLower(strings.TrimSpace(name)))
}

// folded is a name without its accents, too, and without what stands between words.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, norm.NFD.String(strings.ToLower(name)))
}

// What yes and no are called in spreadsheets: in English, German, French, Spanish, Portuguese,
// Italian and Dutch.
var (
	yesWords = []string{
		"true", "yes", "y", "1", "x", "on", "✓", "✔", "☑", "✅", "ja", "wahr", "oui", "vrai", "sí", "si", "verdadero",
		"sim", "verdadeiro", "sì", "vero", "waar",
	}
	noWords = []string{
		"false", "no", "n", "0", "off", "-", "–", "✗", "✘", "☐", "❌", "nein", "falsch", "non", "faux", "falso",
		"não", "nao", "nee", "onwaar",
	}
)

var errNeither = errors.New("must be yes or no")

// yes reads a cell that says yes or no; an empty one says no.
func yes(cell string) (bool, error) {
	word := strings.ToLower(norm.NFC.String(cell))
	switch {
	case slices.Contains(yesWords, word):
		return true, nil
	case word == "" || slices.Contains(noWords, word):
		return false, nil
	default:
		return false, errNeither
	}
}

// statusWords are what calendars call the states of a post, as folded has them, and which of
// crier's they are; published and cancelled are none that a row may have.
var statusWords = map[string]string{
	"draft": "draft", "entwurf": "draft", "brouillon": "draft", "borrador": "draft", "rascunho": "draft", "bozza": "draft",
	"concept": "draft", "idea": "draft", "inprogress": "draft", "pending": "draft", "pendingapproval": "draft",
	"needsapproval": "draft", "awaitingapproval": "draft", "inreview": "draft", "review": "draft", "requiresedits": "draft", "notapproved": "draft",
	"rejected": "draft", "onhold": "draft",
	"scheduled": "scheduled", "approved": "scheduled", "ready": "scheduled", "queued": "scheduled", "geplant": "scheduled",
	"freigegeben": "scheduled", "planifie": "scheduled", "programme": "scheduled", "approuve": "scheduled",
	"programado": "scheduled", "aprobado": "scheduled", "agendado": "scheduled", "aprovado": "scheduled",
	"programmato": "scheduled", "approvato": "scheduled", "gepland": "scheduled", "goedgekeurd": "scheduled",
	"immediate": immediate, "now": immediate,
	"published": published, "posted": published, "sent": published, "live": published, "done": published,
	"veroffentlicht": published, "publie": published, "publicado": published, "pubblicato": published,
	"gepubliceerd": published, "partiallyfailed": published, "processing": published,
	"cancelled": cancelled, "canceled": cancelled, "cancel": cancelled, "deleted": cancelled, "delete": cancelled,
	"storniert": cancelled, "abgesagt": cancelled, "annule": cancelled, "cancelado": cancelled, "annullato": cancelled, "geannuleerd": cancelled,
}

const immediate, published, cancelled = "immediate", "published", "cancelled"

// statusOf is the state that a cell means, or the cell itself, which the server refuses. Yes and no, as words, stand
// in columns that say whether a post is approved.
func statusOf(cell string) string {
	if status, ok := statusWords[folded(cell)]; ok {
		return status
	}
	switch approved, err := yes(cell); {
	case err != nil || len(folded(cell)) < 2:
		return cell
	case approved:
		return schema.Scheduled.String()
	default:
		return schema.Draft.String()
	}
}

// stripMarks leaves out combining marks, which accents become when they are parted from letters.
func stripMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
}

// sheetError is what spreadsheets show in place of a value that a formula could not get, in the
// languages above. Some could be hashtags of a text, and are errors where they are all of a cell.
var (
	sheetError = regexp.MustCompile(`(?:^|\s)(#(?:` +
		`REF!|VALUE!|NUM!|NULL!|NAME\?|DIV/0!|SPILL!|CALC!|ERROR!|FIELD!|BLOCKED!|CONNECT!|UNKNOWN!|BUSY!|` +
		`BEZUG!|WERT!|ZAHL!|ÜBERLAUF!|` +
		`VALEUR!|NOMBRE!|NOM\?|NUL!|PROPAGATION!|` +
		`¡REF!|¡VALOR!|¡NUM!|¡NULO!|¿NOMBRE\?|¡DIV/0!|` +
		`VALOR!|NÚM!|NULO!|NOME\?|` +
		`RIF!|VALORE!|NUMERO!|` +
		`VERW!|WAARDE!|GETAL!|LEEG!|NAAM\?|DEEL/0!))(?:$|\s)`)
	numberedError = regexp.MustCompile(`^(?:Err|Fehler):5\d\d$`) // LibreOffice's, of a whole cell
	wholeErrors   = []string{"#N/A", "#NV", "#N/D", "#N/B", "#GETTING_DATA"}
)

// failedFormula returns the error of a spreadsheet in a cell; empty: there is none.
func failedFormula(cell string) string {
	switch {
	case slices.Contains(wholeErrors, cell), numberedError.MatchString(cell):
		return cell
	case !strings.Contains(cell, "#") || !strings.ContainsAny(cell, "!?"): // each has both
		return ""
	}
	if found := sheetError.FindStringSubmatch(cell); found != nil {
		return found[1]
	}
	return ""
}

// What programs and people write where there is nothing, and where there will be something.
var (
	nothingWords = []string{"n/a", "n.a.", "none", "null", "nan", "undefined", "-", "--", "–", "—"}
	laterWords   = []string{"tbd", "tba", "tbc", "todo", "to do"}
)

// damaged is what becomes of letters and emoji in UTF-8 that a program has read as Windows-1252, or could not read.
// What may follow a capital Ã at the end of a word is none behind other capitals.
var damaged = regexp.MustCompile(`\x{FFFD}|â€|Ã[¡-©«-\x{AD}¯-¶¸¹¼-¿]|(?:^|\P{Lu})Ã[ª®·º»]|ðŸ`)

// unpublishable reports whether a cell of a text, or of what is added to one, is no part of a post. A text is
// missed, as is what is still to come: then its row is refused.
func unpublishable(field, cell string) (leave bool, wrong string) {
	if !slices.Contains([]string{"content", "link", "hashtags", "firstComment", "altText"}, field) {
		return false, ""
	}
	is := func(word string) bool { return strings.EqualFold(word, cell) }
	switch {
	case strings.ContainsAny(cell, "\uFFFDâÃð") && damaged.MatchString(cell): // the pattern alone is slow
		return false, strconv.Quote(damaged.FindString(cell)) + " stands where a letter or an emoji was lost: export the file anew, as CSV UTF-8 or .xlsx"
	case slices.ContainsFunc(laterWords, is):
		return false, strconv.Quote(cell) + " is no more than a note: write what is meant"
	case !slices.ContainsFunc(nothingWords, is):
		return false, ""
	case field == "content":
		return false, strconv.Quote(cell) + " is no text: leave the cell empty if there is none"
	default:
		return true, ""
	}
}

// shortened is what spreadsheets make of numbers of more than eleven digits.
var shortened = regexp.MustCompile(`^\d(?:[.,]\d+)?E\+\d{2,}$`)

// lostDigits reports whether a cell was the id of something.
func lostDigits(field, cell string) bool {
	return slices.Contains([]string{"externalId", "accounts", "profile", "setting"}, field) && shortened.MatchString(cell)
}
