package importer

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"crier/schema"
)

type mediaItem struct {
	Type    string `json:"type,omitempty"` // empty: of an upload, whose type the server knows
	URL     string `json:"url,omitempty"`
	MediaID string `json:"mediaId,omitempty"`
	AltText string `json:"altText,omitempty"`
}

// addMedia reads addresses and ids, each with its text and its type. A text or a type in a
// column of its own number is of the address of that number.
func (p *post) addMedia(body map[string]any) *problem {
	var items []mediaItem
	for _, address := range addresses(p.cells["media"]) {
		items = append(items, mediaItem{Type: kindOf(address), URL: address})
	}
	for _, n := range slices.Sorted(maps.Keys(p.media)) {
		for _, address := range addresses(p.media[n]) {
			items = append(items, mediaItem{Type: kindOf(address), URL: address, AltText: p.altTexts[n]})
		}
	}
	for _, id := range list(p.cells["mediaIds"]) {
		items = append(items, mediaItem{MediaID: id})
	}
	if wrong := p.addTypes(items); wrong != nil {
		return wrong
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
	if len(items) > 0 {
		body["mediaItems"] = items
	}
	return nil
}

// addTypes reads what media are whose address does not tell it: one type for all of them, or one
// for each.
func (p *post) addTypes(items []mediaItem) *problem {
	types := list(strings.ToLower(p.cells["mediaTypes"]))
	if len(types) == 0 {
		return nil
	}
	if len(types) > 1 && len(types) != len(items) {
		return &problem{"mediaTypes", fmt.Sprintf("there are %d types for %d media items", len(types), len(items))}
	}
	for i := range items {
		name := types[min(i, len(types)-1)]
		if !slices.Contains([]schema.MediaKind{schema.Image, schema.Video, schema.PDF}, schema.MediaKind(name)) {
			return &problem{"mediaTypes", fmt.Sprintf("%q is no type: image, video or pdf is wanted", name)}
		}
		items[i].Type = name
	}
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

var (
	// quoted is an address within quotes, or what stands between bars and line breaks.
	quoted = regexp.MustCompile(`"[^"]*"|[^|\r\n"]+`)
	// next is where another address begins: a comma may be part of one.
	next = regexp.MustCompile(`[,;\s]+(?:https?://)`)
)

// addresses splits a cell at bars and line breaks, and at commas, semicolons and white space
// before an address. What stands in quotes is one address.
func addresses(cell string) (all []string) {
	for _, part := range quoted.FindAllString(cell, -1) {
		if strings.HasPrefix(part, `"`) {
			all = appendAddress(all, strings.Trim(part, `"`))
			continue
		}
		for {
			at := next.FindStringIndex(part)
			if at == nil {
				break
			}
			all = appendAddress(all, part[:at[0]])
			part = strings.TrimLeft(part[at[0]:], ",; \t")
		}
		all = appendAddress(all, part)
	}
	return all
}

func appendAddress(all []string, address string) []string {
	if address = strings.Trim(address, ",; \t"); address != "" {
		all = append(all, address)
	}
	return all
}
