package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/schema"
)

// post collects the cells of a row.
type post struct {
	mapping  Mapping
	known    *known
	cells    map[string]string
	from     map[string]string // by field: the column that has filled it
	metadata map[string]string
	settings map[schema.Platform]map[string]any
	media    map[int]string // addresses in columns of their own, by their number
	altTexts map[int]string // likewise
	comments []string
	numbered map[int]string // comments in columns of their own
	flags    []flag
	pending  []given // cells that wait for the targets
	targets  []target
	warnings []string
	zone     string // of a time without one, where the row says none
	picture  string // the cell of the row that one lies over in the sheet
}

// given is a cell of a column.
type given struct {
	column  string
	meaning Meaning
	cell    string
}

// flag is a column that says whether a post goes to a platform.
type flag struct {
	platform schema.Platform
	column   string
	cell     string
}

func newPost(m Mapping, k *known) *post {
	return &post{
		mapping: m, known: k, cells: map[string]string{}, from: map[string]string{}, metadata: map[string]string{},
		settings: map[schema.Platform]map[string]any{}, media: map[int]string{}, altTexts: map[int]string{}, numbered: map[int]string{},
	}
}

// take keeps a cell. What it means is read once the targets are known.
func (p *post) take(h *heading, cell string) {
	for _, m := range h.meanings {
		if m.column.field == "platform" {
			p.flags = append(p.flags, flag{m.column.platform, h.name, cell})
		} else {
			p.pending = append(p.pending, given{h.name, m, cell})
		}
	}
}

func (p *post) row(r row) row {
	body, wrong := p.body(&r)
	if wrong != nil {
		r.problem = wrong
		return r
	}
	encoded, err := encode(body)
	switch {
	case err != nil:
		r.problem = &problem{message: err.Error()}
	case len(encoded) > maxRow:
		r.problem = &problem{message: "the row is larger than " + strconv.Itoa(maxRow>>10) + " KiB"}
	default:
		r.body, r.warnings = encoded, p.warnings
	}
	return r
}

// body is the create-post body of the row.
func (p *post) body(r *row) (map[string]any, *problem) {
	wrong := p.applyThose(column.identifies)
	// First of all: two rows of one post are found before it is known where they go.
	r.id, r.externalID, r.thread = p.cells["id"], p.cells["externalId"], p.cells["threadId"] != ""
	aimless := p.applyThose(column.aims).and(p.addTargets())
	if aimless == nil && len(p.targets) == 0 && r.id == "" && r.externalID == "" {
		aimless = &problem{field: "platforms", message: "at least one platform is required"}
	}
	wrong = wrong.and(aimless).and(p.applyThose(func(c column) bool { return !c.identifies() && !c.aims() }))
	body := map[string]any{}
	for _, field := range []string{"content", "timezone", "brandId", "externalId", "queueId"} {
		if cell := p.cells[field]; cell != "" {
			body[field] = cell
		}
	}
	if len(p.targets) > 0 {
		body["platforms"] = p.targets
	}
	steps := []func(map[string]any, *row) *problem{p.addStatus, p.addTime, p.addKind, p.addAsset, p.addHashtags, p.addLink, p.addMedia, p.addComments, p.addTitle}
	for _, step := range steps {
		wrong = wrong.and(step(body, r))
	}
	if wrong != nil {
		return nil, wrong.and(p.wrongZone())
	}
	if len(p.metadata) > 0 {
		body["metadata"] = p.metadata
	}
	if len(p.settings) > 0 {
		body["platformSettings"] = p.settings
	}
	return body, nil
}

// wrongZone is what is wrong with the zone of a row that the server is not asked about.
func (p *post) wrongZone() *problem {
	if _, err := time.LoadLocation(p.cells["timezone"]); err != nil {
		return &problem{field: "timezone", message: fmt.Sprintf("%q is no time zone of the IANA database, such as Europe/Berlin", clipped(p.cells["timezone"]))}
	}
	return nil
}

// applyThose reads the cells of some columns.
func (p *post) applyThose(which func(column) bool) (wrong *problem) {
	for _, g := range p.pending {
		if which(g.meaning.column) {
			wrong = wrong.and(p.apply(g))
		}
	}
	return wrong
}

// apply reads a cell as what its column means.
func (p *post) apply(g given) *problem {
	if strings.EqualFold(g.meaning.To, ignore) || !g.meaning.concerns(p.targets) {
		return nil
	}
	if failed := failedFormula(g.cell); failed != "" {
		return &problem{field: g.column, code: codeUnsupported, message: failed + " is what a spreadsheet shows where a formula has failed: write what is meant (a text that begins with = or @ is read as a formula)"}
	}
	if lostDigits(g.meaning.column.field, g.cell) {
		return &problem{field: g.column, code: codeUnsupported, message: g.cell + " is what a spreadsheet shows of a long number, whose digits are lost: format the column as text, and write it again"}
	}
	switch leave, wrong := unpublishable(g.meaning.column.field, g.cell); {
	case p.cells["id"] != "": // as an export has it
	case wrong != "":
		return &problem{field: g.column, code: codeUnsupported, message: wrong}
	case leave:
		p.warnings = append(p.warnings, fmt.Sprintf("%s: %q is read as nothing", g.column, g.cell))
		return nil
	}
	read, wrong := g.meaning.read(g.column, g.cell)
	if wrong != nil {
		return wrong
	}
	if read.warning != "" {
		p.warnings = append(p.warnings, read.warning)
	}
	if read.cell == "" {
		return nil
	}
	return p.fill(g, read.cell)
}

// fill keeps what a cell was read as.
func (p *post) fill(g given, cell string) *problem {
	switch c := g.meaning.column; {
	case c.field == "":
	case c.field == "metadata":
		p.metadata[c.name] = cell
	case c.field == "setting":
		return p.fillSetting(g, cell)
	case c.number > 0 && c.field == "media":
		p.media[c.number] = cell
	case c.number > 0 && c.field == "altText":
		p.altTexts[c.number] = cell
	case c.number > 0:
		p.numbered[c.number] = cell
	case c.field == "firstComment":
		p.comments = append(p.comments, parts(cell, g.meaning.Split)...)
	case c.field == "altText":
		for i, text := range strings.Split(cell, cmp.Or(g.meaning.Split, "|")) {
			p.altTexts[-1-i] = strings.TrimSpace(text)
		}
	case slices.Contains(several, c.field) && p.cells[c.field] != "":
		p.cells[c.field] += "\n" + cell
	case p.cells[c.field] != "" && p.cells[c.field] != cell:
		return &problem{field: g.column, message: fmt.Sprintf("says another %s than %s does", c.field, p.from[c.field])}
	default:
		p.cells[c.field], p.from[c.field] = cell, g.column
	}
	return nil
}

func parts(cell, separator string) (all []string) {
	if separator == "" {
		return []string{cell}
	}
	for _, part := range strings.Split(cell, separator) {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

// fillSetting keeps a setting. What a mapping makes of a cell has to be what the platform takes.
func (p *post) fillSetting(g given, cell string) *problem {
	c := g.meaning.column
	if outer, inner, nested := strings.Cut(c.name, "."); nested {
		p.nest(column{field: c.field, name: outer, platform: c.platform}, strings.Split(inner, "."), cell)
		return nil
	}
	value := settingOf(c, cell)
	if g.meaning.mapped {
		if why := c.refusal(value); why != "" {
			return &problem{field: g.column, code: codeUnsupported, message: fmt.Sprintf("%q: %s.%s %s", clipped(g.cell), c.platform, c.name, why)}
		}
	}
	p.set(c.platform, c.name, value)
	return nil
}

func (p *post) set(platform schema.Platform, name string, value any) {
	if p.settings[platform] == nil {
		p.settings[platform] = map[string]any{}
	}
	p.settings[platform][name] = value
}

// nest sets a part of a setting that is an object, such as poll.options.1 and poll.durationMinutes.
func (p *post) nest(c column, path []string, cell string) {
	object, ok := p.settings[c.platform][c.name].(map[string]any)
	if !ok {
		object = map[string]any{}
		p.set(c.platform, c.name, object)
	}
	if len(path) == 1 {
		object[path[0]] = any(cell)
		if n, err := strconv.Atoi(cell); err == nil && path[0] != "question" {
			object[path[0]] = n
		}
		return
	}
	items, _ := object[path[0]].([]string) // options, in the order of their columns
	object[path[0]] = append(items, cell)
}

// settingOf reads a setting: JSON objects and lists are what they look like, true, false and
// numbers where the platform takes them, and a list where it takes one; all else is text: ids
// look like numbers too.
func settingOf(c column, cell string) any {
	var value any
	if cell == "true" || cell == "false" || strings.HasPrefix(cell, "{") || strings.HasPrefix(cell, "[") {
		if json.Unmarshal([]byte(cell), &value) == nil && (c.refusal(value) == "" || c.refusal(cell) != "") {
			return value
		}
	}
	if c.refusal(cell) == "" {
		return cell
	}
	candidates := []any{json.Number(cell)}
	if on, err := yes(cell); err == nil {
		candidates = append(candidates, on)
	}
	var items []any
	for _, item := range strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",;|\n", r) }) {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	for _, candidate := range append(candidates, items) {
		if c.refusal(candidate) == "" {
			return candidate
		}
	}
	return cell
}

// addComments adds those of columns with numbers of their own behind the others.
func (p *post) addComments(body map[string]any, _ *row) *problem {
	all := p.comments
	for _, n := range slices.Sorted(maps.Keys(p.numbered)) {
		all = append(all, p.numbered[n])
	}
	switch len(all) {
	case 0:
	case 1:
		body["firstComment"] = all[0]
	default:
		var comments []map[string]any
		for _, text := range all {
			comments = append(comments, map[string]any{"target": 0, "text": text})
		}
		body["firstComments"] = comments
	}
	return nil
}

// addTitle gives a title to the platforms that show one. Where none does, it stays with the post.
func (p *post) addTitle(map[string]any, *row) *problem {
	title, taken := p.cells["title"], false
	for _, t := range p.targets {
		if title != "" && (t.Platform == schema.YouTube || t.Platform == schema.Pinterest) {
			p.set(t.Platform, "title", title)
			taken = true
		}
	}
	if title != "" && !taken && len(title) <= maxMetadata && p.metadata["title"] == "" {
		p.metadata["title"] = title
	}
	return nil
}

// maxMetadata is how long an entry of metadata may be, in bytes.
const maxMetadata = 500

// addHashtags puts those that the text does not have at its end.
func (p *post) addHashtags(body map[string]any, r *row) *problem {
	var missing []string
	in := list(p.cells["content"])
	isIn := func(tag string) bool {
		return slices.ContainsFunc(in, func(word string) bool { return strings.EqualFold(strings.Trim(word, ".:!?…()\"'"), tag) })
	}
	for _, tag := range list(p.cells["hashtags"]) {
		if !strings.HasPrefix(tag, "#") && !strings.HasPrefix(tag, "＃") {
			return &problem{field: p.from["hashtags"], message: fmt.Sprintf("%q is no hashtag: write each with its #", clipped(tag))}
		}
		if !isIn(tag) {
			missing = append(missing, tag)
		}
	}
	if len(missing) > 0 {
		p.cells["content"] = strings.TrimSpace(p.cells["content"] + "\n\n" + strings.Join(missing, " "))
		body["content"] = p.cells["content"]
		r.added = append(r.added, "hashtags")
	}
	return nil
}

// linkAddress is what a link looks like, with its scheme or without.
var linkAddress = regexp.MustCompile(`^(?:\pL[\pL\d+.-]*://\S+|(?:mailto|tel):\S+|\S*[\pL\d]\.\pL{2,}\S*)$`)

// addLink puts a link at the end of the text, unless it is in it. A pin leads to it, and so does the
// button of a post on google-business.
func (p *post) addLink(body map[string]any, r *row) *problem {
	text, link := p.cells["content"], p.cells["link"]
	if link == "" {
		return nil
	}
	if !slices.ContainsFunc(list(link), linkAddress.MatchString) {
		return &problem{field: cmp.Or(p.from["link"], p.from["asset"]), message: fmt.Sprintf("%q is no address: where a spreadsheet shows a text in place of one, write the address itself", clipped(link))}
	}
	r.added = append(r.added, "link")
	elsewhere := false
	for _, t := range p.targets {
		if t.Platform != schema.Pinterest {
			elsewhere = true
		} else if p.settings[t.Platform]["link"] == nil {
			p.set(t.Platform, "link", link)
		}
	}
	if button, ok := p.settings[schema.GoogleBusiness]["callToAction"].(map[string]any); ok && button["url"] == nil && button["actionType"] != "CALL" {
		button["url"] = link
	}
	if !strings.Contains(text, link) && (elsewhere || len(p.targets) == 0) {
		body["content"] = strings.TrimSpace(text + "\n\n" + link)
	}
	return nil
}

// list splits a cell at commas, semicolons, bars and white space.
func list(cell string) []string {
	return strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",;| \t\r\n", r) })
}
