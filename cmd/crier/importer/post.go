package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"crier/connectors/catalog"
	"crier/schema"
	"crier/schema/validation"
)

// post collects the cells of a row.
type post struct {
	cells    map[string]string
	metadata map[string]string
	settings map[schema.Platform]map[string]any
	media    map[int]string // addresses in columns of their own, by their number
	altTexts map[int]string // likewise
	flags    []flag
	mapping  Mapping
}

// flag is a column that says whether a post goes to a platform.
type flag struct {
	platform schema.Platform
	cell     string
}

func newPost(m Mapping) *post {
	return &post{
		cells: map[string]string{}, metadata: map[string]string{}, settings: map[schema.Platform]map[string]any{},
		media: map[int]string{}, altTexts: map[int]string{}, mapping: m,
	}
}

func (p *post) take(c column, cell string) {
	switch {
	case c.number > 0 && c.field == "media":
		p.media[c.number] = cell
		return
	case c.number > 0:
		p.altTexts[c.number] = cell
		return
	}
	switch c.field {
	case "":
	case "platform":
		p.flags = append(p.flags, flag{c.platform, cell})
	case "metadata":
		p.metadata[c.name] = cell
	case "setting":
		p.set(c.platform, c.name, settingOf(c, cell))
	default:
		p.cells[c.field] = cell
	}
}

func (p *post) set(platform schema.Platform, name string, value any) {
	if p.settings[platform] == nil {
		p.settings[platform] = map[string]any{}
	}
	p.settings[platform][name] = value
}

// settingOf reads a setting: true, false, JSON objects and lists are what they look like,
// a number where the platform takes one, all else is text: ids look like numbers too.
func settingOf(c column, cell string) any {
	var value any
	if cell == "true" || cell == "false" || strings.HasPrefix(cell, "{") || strings.HasPrefix(cell, "[") {
		if json.Unmarshal([]byte(cell), &value) == nil {
			return value
		}
	}
	if number := json.Number(cell); c.refuses(cell) && !c.refuses(number) {
		return number
	}
	return cell
}

// refuses reports whether the platform refuses a value for the setting of a column.
func (c column) refuses(value any) bool {
	check := catalog.Constraints(c.platform).Settings
	settings, err := json.Marshal(map[string]any{c.name: value})
	if err != nil || check == nil {
		return err != nil
	}
	return slices.ContainsFunc(check(settings), func(d schema.Detail) bool { return d.Field == c.name && d.Code == validation.CodeSettingInvalid })
}

// body is the create-post body of the row.
func (p *post) body() (map[string]any, *problem) {
	body := map[string]any{}
	for _, field := range []string{"content", "timezone", "status", "firstComment", "brandId", "externalId", "queueId"} {
		if cell := p.cells[field]; cell != "" {
			body[field] = cell
		}
	}
	steps := []func(map[string]any) *problem{p.addTargets, p.addLink, p.addTime, p.addSwitches, p.addMedia}
	for _, step := range steps {
		if problem := step(body); problem != nil {
			return nil, problem
		}
	}
	if len(p.metadata) > 0 {
		body["metadata"] = p.metadata
	}
	if len(p.settings) > 0 {
		body["platformSettings"] = p.settings
	}
	return body, nil
}

type target struct {
	Platform  schema.Platform `json:"platform"`
	AccountID string          `json:"accountId,omitempty"`
}

// addTargets reads platforms such as "mastodon, bluesky:acc_…"; accounts in a column of
// their own stand in the same order.
func (p *post) addTargets(body map[string]any) *problem {
	var targets []target
	for _, f := range p.flags {
		switch on, err := yes(f.cell); {
		case err != nil:
			return &problem{"platform." + f.platform.String(), err.Error()}
		case on:
			targets = append(targets, target{Platform: f.platform})
		}
	}
	named := p.cells["platforms"]
	if named == "" && len(targets) == 0 {
		named = p.mapping.Platforms
	}
	for _, name := range list(named) {
		name, account, _ := strings.Cut(name, ":")
		platform, err := parsePlatform(name)
		if err != nil {
			return &problem{"platforms", err.Error()}
		}
		targets = append(targets, target{platform, account})
	}
	if len(targets) == 0 {
		return &problem{"platforms", "at least one platform is required"}
	}
	accounts := list(p.cells["accounts"])
	if len(accounts) > 0 && len(accounts) != len(targets) {
		return &problem{"accounts", fmt.Sprintf("there are %d accounts for %d platforms", len(accounts), len(targets))}
	}
	for i, account := range accounts {
		targets[i].AccountID = account
	}
	for _, t := range targets {
		if title := p.cells["title"]; title != "" && (t.Platform == schema.YouTube || t.Platform == schema.Pinterest) {
			p.set(t.Platform, "title", title)
		}
	}
	body["platforms"] = targets
	return nil
}

func (p *post) addTime(body map[string]any) *problem {
	text, field := p.cells["scheduledFor"], "scheduledFor"
	if p.cells["date"] != "" || p.cells["time"] != "" {
		if text != "" {
			return &problem{"date", "must not stand beside scheduledFor"}
		}
		text, field = strings.TrimSpace(p.cells["date"]+" "+p.cells["time"]), "date"
	}
	if text == "" {
		return nil
	}
	if draft, _ := yes(p.cells["draft"]); draft {
		return nil // drafts have no time
	}
	at, err := parseWhen(text, p.mapping.Days)
	if err != nil {
		return &problem{field, err.Error()}
	}
	body["scheduledFor"] = at
	return nil
}

// addSwitches reads the cells that are true or false; a queue may be named instead.
func (p *post) addSwitches(body map[string]any) *problem {
	for _, field := range []string{"queue", "publishNow", "draft"} {
		switch on, err := yes(p.cells[field]); {
		case err != nil:
			return &problem{field, err.Error()}
		case on && field == "draft":
			body["status"] = schema.Draft.String()
		case on:
			body[field] = true
		}
	}
	return nil
}

// yes reads a cell that says yes or no; an empty one says no.
func yes(cell string) (bool, error) {
	switch strings.ToLower(cell) {
	case "true", "yes", "y", "1", "x":
		return true, nil
	case "", "false", "no", "n", "0":
		return false, nil
	default:
		return false, errors.New("must be yes or no")
	}
}

// addLink puts a link at the end of the text, unless it is in it.
func (p *post) addLink(body map[string]any) *problem {
	text, link := p.cells["content"], p.cells["link"]
	if link != "" && !strings.Contains(text, link) {
		body["content"] = strings.TrimSpace(text + "\n\n" + link)
	}
	return nil
}

// list splits a cell at commas, semicolons, bars and white space.
func list(cell string) []string {
	return strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",;| \t\r\n", r) })
}

// nicknames are other names of platforms that calendars use.
var nicknames = map[string]schema.Platform{
	"x": schema.Twitter, "ig": schema.Instagram, "fb": schema.Facebook, "li": schema.LinkedIn, "yt": schema.YouTube,
	"googlebusiness": schema.GoogleBusiness, "google": schema.GoogleBusiness, "gbp": schema.GoogleBusiness, "gmb": schema.GoogleBusiness,
}

func parsePlatform(name string) (schema.Platform, error) {
	plain := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
	if p, ok := nicknames[plain]; ok {
		return p, nil
	}
	return schema.ParsePlatform(strings.ToLower(name))
}
