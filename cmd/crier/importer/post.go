package importer

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"crier/schema"
)

// post collects the cells of a row.
type post struct {
	cells    map[string]string
	metadata map[string]string
	settings map[schema.Platform]map[string]any
}

func newPost() *post {
	return &post{cells: map[string]string{}, metadata: map[string]string{}, settings: map[schema.Platform]map[string]any{}}
}

func (p *post) take(c column, cell string) {
	switch c.field {
	case "":
	case "metadata":
		p.metadata[c.name] = cell
	case "setting":
		p.set(c.platform, c.name, settingOf(cell))
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
// all else is text.
func settingOf(cell string) any {
	var value any
	if cell == "true" || cell == "false" || strings.HasPrefix(cell, "{") || strings.HasPrefix(cell, "[") {
		if json.Unmarshal([]byte(cell), &value) == nil {
			return value
		}
	}
	return cell
}

// body is the create-post body of the row.
func (p *post) body() (map[string]any, *problem) {
	body := map[string]any{}
	for _, field := range []string{"content", "timezone", "status", "firstComment", "brandId", "externalId", "queueId"} {
		if cell := p.cells[field]; cell != "" {
			body[field] = cell
		}
	}
	steps := []func(map[string]any) *problem{p.addTargets, p.addTime, p.addSwitches, p.addMedia}
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
	for _, name := range list(p.cells["platforms"]) {
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
	at, err := parseWhen(text)
	if err != nil {
		return &problem{field, err.Error()}
	}
	body["scheduledFor"] = at
	return nil
}

// addSwitches reads the cells that are true or false; a queue may be named instead.
func (p *post) addSwitches(body map[string]any) *problem {
	for _, field := range []string{"queue", "publishNow"} {
		switch strings.ToLower(p.cells[field]) {
		case "":
		case "true", "yes", "y", "1", "x":
			body[field] = true
		case "false", "no", "n", "0":
		default:
			return &problem{field, "must be yes or no"}
		}
	}
	return nil
}

type mediaItem struct {
	Type    string `json:"type"`
	URL     string `json:"url,omitempty"`
	MediaID string `json:"mediaId,omitempty"`
	AltText string `json:"altText,omitempty"`
}

func (p *post) addMedia(body map[string]any) *problem {
	var items []mediaItem
	for _, address := range list(p.cells["media"]) {
		items = append(items, mediaItem{Type: kindOf(address), URL: address})
	}
	for _, id := range list(p.cells["mediaIds"]) {
		items = append(items, mediaItem{Type: string(schema.Image), MediaID: id})
	}
	if len(items) == 0 {
		return nil
	}
	if alt := p.cells["altText"]; alt != "" {
		texts := strings.Split(alt, "|")
		if len(texts) > len(items) {
			return &problem{"altText", fmt.Sprintf("there are %d texts, parted by |, for %d media items", len(texts), len(items))}
		}
		for i, text := range texts {
			items[i].AltText = strings.TrimSpace(text)
		}
	}
	body["mediaItems"] = items
	return nil
}

// kindOf guesses the kind of media from the ending of a URL's path. What is really there is
// found out when it is fetched.
func kindOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return string(schema.Image)
	}
	switch ending := strings.ToLower(path.Ext(u.Path)); {
	case slices.Contains([]string{".mp4", ".mov", ".m4v", ".webm", ".avi"}, ending):
		return string(schema.Video)
	case ending == ".pdf":
		return string(schema.PDF)
	default:
		return string(schema.Image)
	}
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
