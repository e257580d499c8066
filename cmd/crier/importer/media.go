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
	Fit     string `json:"fit,omitempty"`

	KeepMetadata bool `json:"keepMetadata,omitempty"`
}

// addMedia reads addresses and ids, each with its text and its type. A text or a type in a
// column of its own number is of the address of that number.
func (p *post) addMedia(body map[string]any, r *row) *problem {
	p.warnOfNoMedia(r)
	var items []mediaItem
	for _, address := range addresses(p.cells["media"]) {
		items = append(items, itemOf(address))
	}
	texts := map[int]string{} // by item
	for _, n := range slices.Sorted(maps.Keys(p.media)) {
		for _, address := range addresses(p.media[n]) {
			if text, ok := p.altTexts[n]; ok {
				texts[len(items)] = text
				delete(p.altTexts, n)
			}
			items = append(items, itemOf(address))
		}
	}
	for _, id := range list(p.cells["mediaIds"]) {
		items = append(items, mediaItem{MediaID: id})
	}
	if wrong := p.addFiles(items); wrong != nil {
		return wrong
	}
	if p.picture != "" && len(items) == 0 {
		return &problem{field: "media", message: "a picture lies over " + p.picture + " in the sheet, and is of no cell: write its address into a column of media, or delete it"}
	}
	if wrong := p.addTypes(items); wrong != nil {
		return wrong
	}
	if wrong := p.addTexts(items, texts); wrong != nil {
		return wrong
	}
	if wrong := p.addFits(items); wrong != nil {
		return wrong
	}
	if wrong := p.addKeepMetadata(items); wrong != nil {
		return wrong
	}
	if len(items) > 0 {
		body["mediaItems"] = items
	}
	return nil
}

// itemOf is a media item by its address, or by the id of an upload.
func itemOf(address string) mediaItem {
	if strings.HasPrefix(address, "media_") {
		return mediaItem{MediaID: address}
	}
	return mediaItem{Type: kindOf(address), URL: address}
}

// addFiles puts the address of a file in place of that of a page which shows it. Of other pages nobody can tell the
// file: it would be missed only when the post is published.
func (p *post) addFiles(items []mediaItem) *problem {
	for i, item := range items {
		if page.MatchString(item.URL) {
			return &problem{field: "media", code: codeUnsupported, message: fmt.Sprintf("%q is a page, not a file: write the address of the file itself", clipped(item.URL))}
		}
		if items[i].URL = fileOf(item.URL); items[i].URL != item.URL {
			p.warnings = append(p.warnings, "media: the page is read as the file that it shows, which anyone with its address has to be allowed to see")
		}
	}
	return nil
}

// page is an address at which there are folders, designs, albums and films to look at.
var page = regexp.MustCompile(`(?i)^https?://(?:drive\.google\.com/(?:drive/|folderview)|(?:www\.)?dropbox\.com/(?:scl/fo|sh|home)/|` +
	`docs\.google\.com/\w+/d/[^?]*/(?:edit|view|preview)|photos\.google\.com/|photos\.app\.goo\.gl/|(?:www\.)?canva\.com/design/|(?:www\.|m\.)?youtube\.com/|youtu\.be/)`)

// fileOf is the address of the file that a page of Google Drive or Dropbox shows, or the address itself.
func fileOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	query := u.Query()
	switch host := strings.TrimPrefix(strings.ToLower(u.Host), "www."); {
	case host == "dropbox.com" && query.Get("dl") == "0":
		query.Set("dl", "1")
		u.RawQuery = query.Encode()
		return u.String()
	case host == "drive.google.com" && u.Path != "/uc":
		file := url.Values{"export": {"download"}, "id": {query.Get("id")}}
		if _, id, found := strings.Cut(u.Path, "/file/d/"); found {
			id, _, _ = strings.Cut(id, "/")
			file.Set("id", id)
		}
		if key := query.Get("resourcekey"); key != "" {
			file.Set("resourcekey", key)
		}
		if file.Get("id") != "" {
			return "https://drive.google.com/uc?" + file.Encode()
		}
	}
	return address
}

// addTexts gives items their texts: those of columns with numbers of their own, and those that
// stand in the order of the items, which have the numbers -1, -2 and so on. A text without an
// item would be lost.
func (p *post) addTexts(items []mediaItem, texts map[int]string) *problem {
	for i, text := range texts {
		items[i].AltText = text
	}
	inOrder := 0
	for n, text := range p.altTexts {
		if n > 0 && n <= len(items) && len(p.media) == 0 { // numbers of items that share a column
			items[n-1].AltText = text
			continue
		}
		if n > 0 {
			return &problem{field: "altText", message: fmt.Sprintf("there is a text for media item %d, which the row does not have", n)}
		}
		inOrder++
	}
	if inOrder > len(items) {
		return &problem{field: "altText", message: fmt.Sprintf("there are %d texts for %d media items", inOrder, len(items))}
	}
	for i := range inOrder {
		if text := p.altTexts[-1-i]; text != "" {
			items[i].AltText = text
		}
	}
	return nil
}

// addFits says how pictures are made to fit: one way for all, or one for each; else as the import
// says.
func (p *post) addFits(items []mediaItem) *problem {
	fits := list(strings.ToLower(p.cells["fit"]))
	if len(fits) > 1 && len(fits) != len(items) {
		return &problem{field: "fit", message: fmt.Sprintf("there are %d ways to fit %d media items", len(fits), len(items))}
	}
	for i := range items {
		switch {
		case len(fits) > 0:
			items[i].Fit = fits[min(i, len(fits)-1)]
		case items[i].Type == "" || items[i].Type == string(schema.Image):
			items[i].Fit = string(p.mapping.Fit)
		}
	}
	return nil
}

// addKeepMetadata says of which items the metadata is published: of all, or of each.
func (p *post) addKeepMetadata(items []mediaItem) *problem {
	keeps := list(p.cells["keepMetadata"])
	if len(keeps) > 1 && len(keeps) != len(items) {
		return &problem{field: "keepMetadata", message: fmt.Sprintf("there are %d answers for %d media items", len(keeps), len(items))}
	}
	for i := range items {
		if len(keeps) == 0 {
			break
		}
		var err error
		if items[i].KeepMetadata, err = yes(keeps[min(i, len(keeps)-1)]); err != nil {
			return &problem{field: "keepMetadata", message: err.Error()}
		}
	}
	return nil
}

// warnOfNoMedia warns of what is said of media in a file without a column of media. The post of the row
// may be there: its media are no matter of the row.
func (p *post) warnOfNoMedia(r *row) {
	if !r.isIdentified() || r.speaksOf("mediaItems") || r.speaksOf("asset") {
		return
	}
	for _, field := range []string{"altText", "mediaTypes", "fit", "keepMetadata"} {
		if p.cells[field] != "" || field == "altText" && len(p.altTexts) > 0 {
			p.warnings = append(p.warnings, field+": changes nothing: the file has no column of media")
		}
	}
	clear(p.altTexts)
}

// addAsset reads a column that holds a picture, a video or a link, as another one says or else its
// ending.
func (p *post) addAsset(map[string]any, *row) *problem {
	asset, kind := p.cells["asset"], plainName(p.cells["assetType"])
	if asset == "" {
		return nil
	}
	switch kind {
	case "image", "video", "photo", "carousel", "reel", "reels", "story":
		p.cells["media"] = strings.TrimSpace(p.cells["media"] + "\n" + asset)
		if kind == "video" || kind == "reel" || kind == "reels" {
			p.cells["mediaTypes"] = string(schema.Video)
		}
	case "article", "link", "message", "text", "":
		p.cells["link"] = asset
	default:
		return &problem{field: p.from["assetType"], code: codeUnsupported, message: fmt.Sprintf("%q is none of image, video, article, message", clipped(kind))}
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
		return &problem{field: "mediaTypes", message: fmt.Sprintf("there are %d types for %d media items", len(types), len(items))}
	}
	for i := range items {
		name := types[min(i, len(types)-1)]
		if !slices.Contains([]schema.MediaKind{schema.Image, schema.Video, schema.PDF}, schema.MediaKind(name)) {
			return &problem{field: "mediaTypes", message: fmt.Sprintf("%q is no type: image, video or pdf is wanted", name)}
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
