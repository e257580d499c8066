package importer

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"crier/schema"
)

// note counts a cell whose meaning nobody has settled.
func (h *heading) note(cell string, row int) {
	if h.only == "" {
		h.only = strings.Clone(cell)
	}
	h.varied = h.varied || h.only != cell
	h.names = h.names || h.namesSomebody(cell)
	settled := h.meanings != nil
	if settled && h.meanings[0].column.field == "id" && !h.meanings[0].mapped {
		settled = strings.HasPrefix(cell, "post_") // numbers of somebody else's are none of crier's ids
	}
	if settled {
		return
	}
	if h.filled++; h.filled == 1 {
		h.firstRow, h.sample = row, strings.Clone(cell)
	}
}

// unsettled refuses a file with values that nobody has said the meaning of: they could decide what
// goes out. It says what to add to the command.
func (t *table) unsettled() error {
	var lines, advice []string
	open := false // nobody but the person can tell what a column is that has to do with what goes out
	for _, h := range t.headings {
		if h.filled == 0 {
			continue
		}
		like := t.likely(h)
		open = open || like.field == "" && like.what != ""
		lines = append(lines, fmt.Sprintf("  %q, in %s, first in row %d: %q%s", h.name, counted(h.filled, "row"), h.firstRow, clipped(h.sample), like.words()))
		if like.what == "" {
			advice = append(advice, "--ignore "+quotedWord(h.name))
		} else {
			advice = append(advice, "--column "+quotedWord(cmp.Or(like.field, "FIELD")+"="+h.name))
		}
		if _, unclear := zoneOf(h.name); unclear != "" && columnOf(like.field).isTime() {
			advice = append(advice, "--timezone ZONE")
		}
	}
	if len(lines) == 0 {
		return nil
	}
	message := "nobody has said what these columns mean, and nothing was sent:\n" + strings.Join(lines, "\n") +
		"\nSay it, or that they can be left out:\n  " + strings.Join(advice, " ")
	if open {
		message += "\nFIELD stands for what the column is, as docs/import.md calls it; --ignore leaves a column out of the posts."
	}
	if program, _ := t.program(); program != "" {
		message = "the header looks like that of " + program + ": add --map " + program + "; without it " + message
	}
	return errors.New(message)
}

// sameAccounts are columns that name the same account in all rows, in a program's words. Where it is
// said which platforms all rows go to, nothing more is to be told from them.
func (t *table) sameAccounts() (names []string) {
	if t.mapping.Platforms == "" || t.mapping.Of == "" {
		return nil
	}
	for _, h := range t.headings {
		if len(h.meanings) == 1 && h.meanings[0].column.field == "profile" && !h.varied && named(t.mapping.Names, h.only) == h.only {
			names = append(names, h.name)
		}
	}
	return names
}

// quotedWord is a word of a command line.
func quotedWord(word string) string {
	if strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789=._-:/,", r)
	}) {
		if strings.ContainsAny(word, "$`\"\\!") {
			return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		return `"` + word + `"`
	}
	return word
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// likeness is what a column may mean.
type likeness struct {
	field string // as --column takes it; empty: nothing
	what  string
}

func (l likeness) words() string {
	if l.what == "" {
		return ""
	}
	return ": looks like " + l.what
}

// likely is what a column looks like that no other column is.
func (t *table) likely(h heading) likeness {
	if len(h.meanings) > 0 && h.meanings[0].column.field == "id" {
		return likeness{"externalId", "ids of your own"}
	}
	for _, spelling := range spellings(h.name) {
		like := likeName(folded(spelling))
		valued := likeValue(h.sample)
		switch c := columnOf(like.field); {
		case like.what == "", like.field == "status" && valued.what != "": // as the day on which somebody approved
			continue
		case c.isTime() && columnOf(valued.field).isTime():
			return t.unlessTaken(valued)
		}
		return t.unlessTaken(like)
	}
	if valued := likeValue(h.sample); valued.what != "" {
		return likeness{what: valued.what}
	}
	return t.unlessTaken(likePlatform(h))
}

// unlessTaken is a likeness without its field, if another column is that already.
func (t *table) unlessTaken(like likeness) likeness {
	c := columnOf(like.field)
	if c.field == "" || c.field == "metadata" || slices.Contains(several, c.field) || !t.has(c) {
		return like
	}
	return likeness{what: like.what + ", which another column is already"}
}

// firstWord is that of names such as "IG caption" and gbpPostType.
var firstWord = regexp.MustCompile(`^\p{Lu}{2,}|^\pL\p{Ll}*`)

// likePlatform is what a column is that is called by a platform: whether posts go there, or something that
// decides how they look there, such as youtubePrivacy.
func likePlatform(h heading) likeness {
	if p, err := parsePlatform(h.name); err == nil {
		if _, err := yes(h.sample); err == nil {
			return likeness{"platform." + p.String(), "whether posts go to " + p.String()}
		}
		return likeness{what: "something of " + p.String()}
	}
	if p, err := parsePlatform(firstWord.FindString(h.name)); err == nil {
		return likeness{what: "something of " + p.String()}
	}
	for _, p := range schema.Platforms() {
		if strings.HasPrefix(folded(h.name), folded(p.String())) {
			return likeness{what: "something of " + p.String()}
		}
	}
	return likeness{}
}

// likeName is what a column is of which this is a usual name, as folded has it.
func likeName(name string) likeness {
	for _, like := range likenesses {
		if slices.Contains(like.names, name) {
			return like.likeness
		}
	}
	for field, names := range fields {
		if slices.Contains(names, name) {
			return likeness{field, field}
		}
	}
	return likeness{}
}

// likeValue is what a cell can be that has to do with what goes out, and when.
func likeValue(cell string) likeness {
	isTime := func(text string) bool {
		_, day := parseWhen(text, DayFirst)
		_, month := parseWhen(text, MonthFirst)
		return day == nil || month == nil
	}
	switch {
	case cell == "": // as thousands are in a sheet whose last column has something
		return likeness{}
	case strings.HasPrefix(cell, "http://") || strings.HasPrefix(cell, "https://"):
		return likeness{"link", "an address"}
	case isTime(cell):
		return likeness{"scheduledFor", "a time"}
	case isTime(cell + " 09:00"):
		return likeness{"date", "a day"}
	case isTime("2026-12-01 " + cell):
		return likeness{"time", "a time of the day"}
	case utf8.RuneCountInString(cell) > longNote && strings.Contains(cell, " "):
		return likeness{"text", "a text"}
	default:
		return likeness{}
	}
}

// longNote is how long, in characters, a cell may be that is nothing but a note.
const longNote = 60

// has reports whether a column of the table is what another is.
func (t *table) has(c column) bool {
	return slices.ContainsFunc(t.headings, func(h heading) bool {
		return slices.ContainsFunc(h.meanings, func(m Meaning) bool { return m.column.key() == c.key() })
	})
}

// platformsAre names the columns that look as if they said where posts go; empty: none does.
func (t *table) platformsAre() string {
	var names, advice []string
	for _, h := range t.headings {
		l := t.likely(h)
		if c := columnOf(l.field); h.meanings == nil && (c.field == "platforms" || c.field == "platform") {
			names = append(names, strconv.Quote(h.name))
			advice = append(advice, "--column "+quotedWord(l.field+"="+h.name))
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" (%s looks like it: %s)", names[0], advice[0])
	default:
		return fmt.Sprintf(" (%s look like it: %s)", strings.Join(names, ", "), strings.Join(advice, " "))
	}
}

// likenesses are what calendars call their columns, in the languages of yes and no, as folded
// has them without their accents.
var likenesses = []struct {
	likeness
	names []string
}{
	{likeness{"text", "the text"}, []string{
		"copy", "postcopy", "copytext", "captiontext", "captioncopy", "postcaption", "posttext", "postcontent", "postbody", "postmessage", "messagetext",
		"textcontent", "maintext", "socialcopy", "tweet", "tweettext", "statustext", "description", "postdescription", "captions", "texts", "update",
		"inhalt", "beitrag", "beitragstext", "posttexte", "nachricht", "bildunterschrift", "beschreibung",
		"contenu", "texte", "legende", "message", "publication", "texteduposte", "textedupost", "texteprincipal",
		"contenido", "texto", "mensaje", "publicacion", "textodelpost", "leyenda", "descripcion", "pie", "copytexto", //nolint:misspell // Spanish
		"conteudo", "legenda", "mensagem", "publicacao", "descricao", "textodopost",
		"contenuto", "testo", "didascalia", "messaggio", "testodelpost", "descrizione", "pubblicazione",
		"inhoud", "tekst", "bijschrift", "bericht", "beschrijving", "posttekst",
	}},
	{likeness{"platforms", "the platforms"}, []string{
		"socialnetwork", "socialnetworks", "socialmedia", "socialchannel", "socialchannels", "postto", "where", "destination", "destinations", "networkname",
		"plattform", "plattformen", "netzwerk", "netzwerke", "kanal", "kanale",
		"plateforme", "plateformes", "reseau", "reseaux", "reseausocial", "reseauxsociaux", "canal", "canaux",
		"plataforma", "plataformas", "red", "redes", "redsocial", "redessociales", "canales",
		"rede", "redesocial", "redessociais", "canais",
		"piattaforma", "piattaforme", "rete", "social", "canale", "canali",
		"platformen", "netwerk", "netwerken", "kanalen",
	}},
	{likeness{"date", "the day"}, []string{
		"postdate", "scheduledate", "dateofpost", "datescheduled", "postingdate", "golivedate", "livedate", "publishedon", "publishon",
		"datum", "veroffentlichungsdatum", "postdatum",
		"jour", "datedepublication", "datedupost",
		"fecha", "fechadepublicacion", "dia", "data", "datadepublicacao", "datadipubblicazione", "giorno", "datadelpost", "publicatiedatum", "dag",
	}},
	{likeness{"time", "the time of the day"}, []string{
		"posttime", "scheduletime", "postingtime", "timeofpost", "timeofday", "golivetime", "hour",
		"uhrzeit", "zeit", "heure", "horaire", "heuredepublication", "hora", "horario", "horadepublicacion", "horadepublicacao", "ora", "orario", "tijd", "tijdstip",
	}},
	{likeness{"scheduledFor", "the time"}, []string{
		"scheduled", "publishdatetime", "postdatetime", "dateandtime", "datetimescheduled", "scheduleddatetime", "scheduletimedate", "publishing", "publishdateandtime",
		"zeitpunkt", "termin", "datumunduhrzeit", "dateetheure", "programmation", "fechayhora", "programado", "dataehora", "agendamento", "dataeora", "programmazione", "datumentijd", "gepland",
	}},
	{likeness{"media", "addresses of media"}, []string{
		"asset", "assets", "asseturl", "creative", "creativeurl", "picture", "pictures", "pictureurl", "pictureurls", "imagelink", "imagelinks", "medialink", "medialinks",
		"file", "files", "fileurl", "graphic", "graphics", "visual", "visuals", "artwork", "videolink",
		"bild", "bilder", "bildurl", "medien", "datei", "visuel", "visuels", "imageslien", "medias", "photo", "imagen", "imagenes", "medios", "archivo", "foto", "fotos", "urldelaimagen",
		"imagem", "imagens", "midia", "midias", "arquivo", "immagine", "immagini", "afbeelding", "afbeeldingen", "bestand", "beeld",
	}},
	{likeness{"link", "a link"}, []string{
		"url", "linkurl", "urls", "linkinpost", "website", "landingpage", "ctalink", "ctaurl", "destinationurl", "destinationlink", "articleurl", "bloglink", "utmlink",
		"verweis", "lien", "liens", "enlace", "enlaces", "ligacao", "collegamento", "koppeling",
	}},
	{likeness{"altText", "descriptions of media"}, []string{
		"alternativetext", "imagealttext", "alttag", "altdescription", "imagedescription", "alternativtext", "textealternatif", "textoalternativo", "testoalternativo", "alternatievetekst",
	}},
	{likeness{"firstComment", "a first comment"}, []string{
		"firstcommenttext", "followup", "followupcomment", "firstreply", "ersterkommentar", "premiercommentaire", "primercomentario", "primeirocomentario", "primocommento", "eerstereactie",
	}},
	{likeness{"", "comments, under the post or among colleagues"}, []string{
		"comments", "kommentar", "kommentare", "commentaire", "commentaires", "comentario", "comentarios", "commento", "commenti", "reactie", "opmerkingen",
	}},
	{likeness{"accounts", "the accounts"}, []string{
		"accountname", "page", "pagename", "handle", "socialaccount", "socialaccounts", "konto", "konten", "seite", "compte", "comptes", "cuenta", "cuentas", "conta", "contas", "pagina", "profil",
	}},
	{likeness{"brandId", "the brand"}, []string{
		"client", "clientname", "customer", "company", "workspace", "calendar", "calendarname", "brandtag", "marke", "kunde", "marque", "marca", "cliente", "merk", "klant",
	}},
	{likeness{"status", "the status"}, []string{
		"poststatus", "state", "approval", "approvalstatus", "approved", "isapproved", "freigabe", "statut", "etat", "estado", "stato", "situacao", "stand",
	}},
	{likeness{"timezone", "the time zone"}, []string{"timezonename", "zeitzone", "fuseauhoraire", "zonahoraria", "fusohorario", "fusoorario", "tijdzone"}},
	{likeness{"title", "a title"}, []string{"posttitle", "videotitle", "pintitle", "headline", "subject", "titel", "uberschrift", "titre", "titulo", "titolo"}},
	{likeness{"kind", "the kind of post"}, []string{"type", "format", "postformat", "postkind", "contenttype", "placement", "beitragsart", "typdebeitrags", "typedepost", "tipodepublicacion", "tipodepost", "tipo", "soort"}},
	{likeness{"externalId", "ids of your own"}, []string{"postreference", "referenceid", "uid", "key", "number", "rowid", "nr", "referenz"}},
	{likeness{"metadata.labels", "labels"}, []string{
		"labels", "label", "tags", "tag", "category", "categories", "campaign", "campaigns", "pillar", "contentpillar", "topic", "theme",
		"schlagworte", "kategorie", "kampagne", "etiquettes", "categorie", "campagne", "etiquetas", "categoria", "campana", "campanha", "etichette", "campagna",
	}},
}

// program is the program that wrote the table: the one whose mapping knows the most columns, and all
// that have values. best is empty where there is none. platforms says whether one of the columns names
// platforms.
func (t *table) program() (best string, platforms bool) {
	if t.mapping.Of != "" {
		return "", false
	}
	maximum := 2
	for _, name := range Mappings() {
		m, err := ReadMapping(name)
		if err != nil {
			continue
		}
		known, tells, aims := 0, false, false
		for _, h := range t.headings {
			meanings, settles := m.settles(h.name)
			if settles {
				known++
				tells = tells || h.meanings == nil || h.filled > 0
				aims = aims || slices.ContainsFunc(meanings, func(m Meaning) bool { return m.column.of() == "platforms" })
			} else if h.filled > 0 {
				known = -len(t.headings)
			}
		}
		if tells && known > maximum {
			best, maximum, platforms = name, known, aims
		}
	}
	return best, platforms
}

// settles reports whether the mapping itself says what a column means.
func (m Mapping) settles(header string) (Meanings, bool) {
	for _, spelling := range spellings(header) {
		if meanings, ok := m.says(spelling); ok {
			return meanings, true
		}
	}
	return nil, false
}
