package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"crier/schema"
)

// column is what the cells of a column of a table are of a post.
type column struct {
	field string // of fields below, or platform, metadata or setting; empty: nothing
	name  string // of the metadata entry, or of the setting
	// platform of a setting such as tiktok.privacy, or of a column that says yes or no.
	platform schema.Platform
	number   int // of one of several such columns, from 1; 0: there is one
}

// fields are the columns a table may have, each with the names it goes by, as plainName has them.
var fields = map[string][]string{
	"id":           {"id", "postid"},
	"content":      {"content", "text", "message", "caption", "post", "body"},
	"platforms":    {"platforms", "platform", "networks", "network", "channels", "channel"},
	"accounts":     {"accounts", "account", "accountids", "accountid"},
	"profile":      {"profile", "profiles", "socialprofile", "socialprofiles"},
	"scheduledFor": {"scheduledfor", "scheduledat", "schedule", "datetime", "publishat", "when"},
	"date":         {"date", "day", "publishdate", "scheduleddate"},
	"time":         {"time", "publishtime", "scheduledtime"},
	"timezone":     {"timezone", "tz", "zone"},
	"media":        {"media", "mediaurls", "mediaurl", "mediaitems", "images", "image", "imageurl", "imageurls", "video", "videourl", "photos", "photo", "attachments"},
	"mediaIds":     {"mediaids", "mediaid"},
	"mediaTypes":   {"mediatypes", "mediatype", "mediakinds", "mediakind"},
	"fit":          {"fit"},
	"keepMetadata": {"keepmetadata"},
	"asset":        {"asset"},
	"assetType":    {"assettype"},
	"link":         {"link", "links"},
	"hashtags":     {"hashtags", "hashtag"},
	"draft":        {"draft"},
	"altText":      {"alttext", "alttexts", "alt"},
	"firstComment": {"firstcomment", "comment"},
	"kind":         {"kind", "posttype"},
	"status":       {"status"},
	"queue":        {"queue"},
	"queueId":      {"queueid"},
	"publishNow":   {"publishnow"},
	"brandId":      {"brandid", "brand", "brandname", "profileid"},
	"externalId":   {"externalid", "reference", "ref"},
	"threadId":     {"threadid"},
	"title":        {"title"},
}

// several are the fields that may have more than one column: their cells come one after the other.
var several = []string{"media", "firstComment"}

// numberedFields may have columns such as media.2, of the second of several.
var numberedFields = []string{"media", "altText", "firstComment"}

// maxNumbered is the number of the last item that has a column of its own.
const maxNumbered = 50

// columnOf is what a column of crier's own name is.
func columnOf(header string) column {
	header = strings.TrimSpace(header)
	if group, name, ok := strings.Cut(header, "."); ok {
		if c, ok := numbered(group, name); ok {
			return c
		}
		if c, ok := flagged(group, name); ok {
			return c
		}
		if strings.EqualFold(group, "metadata") && name != "" {
			return column{field: "metadata", name: name}
		}
		if platform, err := parsePlatform(group); err == nil && name != "" {
			return column{field: "setting", platform: platform, name: name}
		}
	}
	plain := plainName(header)
	for field, names := range fields {
		if slices.Contains(names, plain) {
			return column{field: field}
		}
	}
	return column{}
}

// numbered reads names such as media.2, of the second one of several.
func numbered(field, name string) (column, bool) {
	n, err := strconv.Atoi(name)
	if err != nil || n < 1 || n > maxNumbered {
		return column{}, false
	}
	for _, of := range numberedFields {
		if strings.EqualFold(field, of) {
			return column{field: of, number: n}, true
		}
	}
	return column{}, false
}

// flagged reads names such as platform.mastodon, of a column that says yes or no.
func flagged(field, name string) (column, bool) {
	platform, err := parsePlatform(name)
	if !strings.EqualFold(field, "platform") || err != nil {
		return column{}, false
	}
	return column{field: "platform", platform: platform}, true
}

// key tells columns apart of which a table has one at most.
func (c column) key() string { return fmt.Sprint(c.field, c.platform, c.name, c.number) }

// isTime reports whether cells of the column are times, which a workbook may hold as numbers.
func (c column) isTime() bool {
	return c.field == "scheduledFor" || c.field == "date" || c.field == "time"
}

// aims reports whether cells of the column say where a post goes, which has to be known first.
func (c column) aims() bool {
	return c.field == "platform" || c.field == "platforms" || c.field == "accounts" || c.field == "profile" || c.field == "brandId"
}

// identifies reports whether cells of the column say which post a row is of.
func (c column) identifies() bool {
	return c.field == "id" || c.field == "externalId" || c.field == "threadId"
}

// of is what of the API's a column fills: a field of a post, or one of its settings. A column that only
// adds to another, such as that of links or of alternative texts, fills none: alone it would take away what
// it adds to.
func (c column) of() string {
	switch c.field {
	case "platform", "platforms", "accounts", "profile":
		return "platforms"
	case "scheduledFor", "date", "time":
		return "scheduledFor"
	case "media", "mediaIds":
		return "mediaItems"
	case "firstComment":
		return "firstComments"
	case "metadata":
		return "metadata." + c.name
	case "setting":
		name, _, _ := strings.Cut(c.name, ".")
		return "platformSettings." + c.platform.String() + "." + name
	default:
		return c.field
	}
}
