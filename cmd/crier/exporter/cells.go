package exporter

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/client"
)

// cells are what a post fills, by column.
type cells map[string]string

// first are the columns that stand before those of settings and metadata, in their order; each
// number of media and of comments follows the column it is of.
var first = []string{"id", "externalId", "status", "platforms", "scheduledFor", "timezone", "content", "media", "altText", "mediaTypes", "fit", "keepMetadata", "firstComment", "brandId", "threadId"}

// cellsOf is a post as a row that import reads.
func cellsOf(p *client.Post) cells {
	all := cells{
		"id": p.ID, "externalId": p.ExternalID, "status": string(p.Status), "timezone": p.Timezone, "content": p.Content,
		"platforms": strings.Join(targetsOf(p), ", "), "scheduledFor": timeOf(p), "brandId": p.BrandID, "threadId": p.ThreadID,
	}
	var types, fits, metadata []string
	for i, m := range p.MediaItems {
		all[fmt.Sprintf("media.%d", i+1)] = addressOf(m)
		all[fmt.Sprintf("altText.%d", i+1)] = m.AltText
		types = append(types, string(m.Type))
		fit := string(m.Fit)
		if fit == "" {
			fit = "none"
		}
		fits = append(fits, fit)
		metadata = append(metadata, map[bool]string{true: "yes", false: "no"}[m.KeepMetadata])
	}
	all["mediaTypes"] = strings.Join(types, "|")
	if slices.ContainsFunc(fits, func(f string) bool { return f != "none" }) {
		all["fit"] = strings.Join(fits, "|")
	}
	if slices.Contains(metadata, "yes") {
		all["keepMetadata"] = strings.Join(metadata, "|")
	}
	if p.ThreadID == "" { // those of a thread's entries have no columns
		for i, comment := range p.FirstComments {
			all[fmt.Sprintf("firstComment.%d", i+1)] = comment.Text
		}
	}
	for name, value := range p.Metadata {
		all["metadata."+name] = value
	}
	addSettings(all, p.PlatformSettings)
	maps.DeleteFunc(all, func(_, cell string) bool { return cell == "" })
	return all
}

func targetsOf(p *client.Post) (targets []string) {
	for _, t := range p.Platforms {
		targets = append(targets, string(t.Platform)+":"+t.AccountID)
	}
	return targets
}

// timeOf is the time in the post's own zone, with its offset: the hour that comes twice a year is
// told apart by that.
func timeOf(p *client.Post) string {
	if p.ScheduledFor.IsZero() {
		return ""
	}
	at := p.ScheduledFor.UTC()
	if zone, err := time.LoadLocation(p.Timezone); err == nil {
		at = at.In(zone)
	}
	return at.Format(time.RFC3339Nano)
}

// addressOf is an address that is read as one, whatever characters it has.
func addressOf(m client.MediaItem) string {
	if m.MediaID != "" {
		return m.MediaID
	}
	if strings.ContainsAny(m.URL, "|;, \t") {
		return `"` + m.URL + `"`
	}
	return m.URL
}

func addSettings(all cells, settings client.PlatformSettings) {
	text, err := json.Marshal(settings)
	if err != nil {
		return
	}
	var byPlatform map[string]map[string]any
	if json.Unmarshal(text, &byPlatform) != nil {
		return
	}
	for platform, values := range byPlatform {
		for name, value := range values {
			all[platform+"."+name] = settingText(value)
		}
	}
}

// settingText is a setting as import reads it: texts as they are, all else as JSON has it.
func settingText(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

// columns are those that any post fills.
type columns map[string]bool

func newColumns() columns {
	return columns{"id": true, "status": true, "platforms": true, "scheduledFor": true, "timezone": true, "content": true}
}

func (c columns) add(row cells) {
	for name := range row {
		c[name] = true
	}
}

// names are the columns in their order: those of every post, and then settings and metadata by name.
func (c columns) names() []string {
	rank := func(name string) (int, int) {
		field, number, _ := strings.Cut(name, ".")
		n, err := strconv.Atoi(number)
		if at := slices.Index(first, field); at >= 0 && (number == "" || err == nil) {
			return at, n
		}
		if field == "metadata" {
			return len(first) + 1, 0
		}
		return len(first), 0
	}
	return slices.SortedFunc(maps.Keys(c), func(a, b string) int {
		fieldA, numberA := rank(a)
		fieldB, numberB := rank(b)
		switch {
		case fieldA != fieldB:
			return fieldA - fieldB
		case numberA != numberB:
			return numberA - numberB
		default:
			return strings.Compare(a, b)
		}
	})
}

// line is a post as a line of JSON: the body of a creation, and what tells which post it is.
type line struct {
	ID               string                  `json:"id"`
	ExternalID       string                  `json:"externalId,omitempty"`
	ThreadID         string                  `json:"threadId,omitempty"`
	Status           client.PostStatus       `json:"status"`
	Content          string                  `json:"content"`
	Platforms        []client.Target         `json:"platforms"`
	ScheduledFor     string                  `json:"scheduledFor,omitempty"`
	Timezone         string                  `json:"timezone,omitempty"`
	MediaItems       []client.MediaItem      `json:"mediaItems"`
	FirstComments    []client.FirstComment   `json:"firstComments"`
	BrandID          string                  `json:"brandId,omitempty"`
	Metadata         map[string]string       `json:"metadata,omitempty"`
	PlatformSettings client.PlatformSettings `json:"platformSettings"`
}

func lineOf(p *client.Post) line {
	l := line{
		ID: p.ID, ExternalID: p.ExternalID, ThreadID: p.ThreadID, Status: p.Status, Content: p.Content, ScheduledFor: timeOf(p), Timezone: p.Timezone,
		MediaItems: []client.MediaItem{}, FirstComments: []client.FirstComment{}, BrandID: p.BrandID, Metadata: p.Metadata, PlatformSettings: p.PlatformSettings,
	}
	for _, t := range p.Platforms {
		l.Platforms = append(l.Platforms, client.Target{Platform: t.Platform, AccountID: t.AccountID})
	}
	for _, m := range p.MediaItems {
		if m.MediaID != "" {
			m.URL = "" // that of an upload is its id's
		}
		l.MediaItems = append(l.MediaItems, m)
	}
	l.FirstComments = append(l.FirstComments, p.FirstComments...)
	return l
}
