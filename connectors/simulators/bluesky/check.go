package bluesky

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// checkPost holds what a record says by itself to app.bsky.feed.post.
func checkPost(record post, raw json.RawMessage) error {
	var present struct {
		Text      *string `json:"text"`
		CreatedAt *string `json:"createdAt"`
	}
	if err := json.Unmarshal(raw, &present); err != nil {
		return badRecord("text and createdAt must be strings")
	}
	switch {
	case record.Type != postCollection:
		return badRecord("$type must be " + postCollection)
	case present.Text == nil:
		return badRecord("text is missing")
	case present.CreatedAt == nil:
		return badRecord("createdAt is missing")
	case len(record.Text) > maxTextBytes || simulation.Graphemes(record.Text) > maxGraphemes:
		return badRecord(fmt.Sprintf("text must not be longer than %d graphemes and %d bytes", maxGraphemes, maxTextBytes))
	case len(record.Langs) > maxLangs:
		return badRecord(fmt.Sprintf("langs must not have more than %d elements", maxLangs))
	}
	for i, lang := range record.Langs {
		if !languageTag.MatchString(lang) {
			return badRecord(fmt.Sprintf("Record/langs/%d must be a well-formed BCP 47 language tag", i))
		}
	}
	if _, err := time.Parse(time.RFC3339Nano, record.CreatedAt); err != nil {
		return badRecord("createdAt must be a datetime")
	}
	if err := checkReply(record.Reply); err != nil {
		return err
	}
	return checkFacets(record)
}

func checkReply(r *reply) error {
	if r == nil {
		return nil
	}
	for _, ref := range []strongRef{r.Root, r.Parent} {
		if !strings.HasPrefix(ref.URI, "at://did:") || !strings.HasPrefix(ref.CID, "bafy") {
			return badRecord("reply needs the uri and the cid of root and parent")
		}
	}
	return nil
}

// checkFacets is stricter than a PDS, which takes any range that is not negative and
// leaves it to clients to ignore it: here a bad range is found out.
func checkFacets(record post) error {
	end := 0
	for _, f := range record.Facets {
		switch {
		case f.Index.Start < end || f.Index.End <= f.Index.Start || f.Index.End > len(record.Text):
			return badRecord("a facet is out of the text, or over another one")
		case !utf8.ValidString(record.Text[f.Index.Start:f.Index.End]):
			return badRecord("a facet cuts a character")
		}
		end = f.Index.End
		for _, feature := range f.Features {
			if err := checkFeature(feature); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkFeature(f feature) error {
	ok := false
	switch f.Type {
	case linkFeature:
		ok = strings.HasPrefix(f.URI, "https://") || strings.HasPrefix(f.URI, "http://")
	case mentionFeature:
		ok = strings.HasPrefix(f.DID, "did:")
	case tagFeature:
		ok = f.Tag != "" && len(f.Tag) <= maxTagBytes && simulation.Graphemes(f.Tag) <= maxTagGraphemes
	}
	if !ok {
		return badRecord("a facet has a feature without its value")
	}
	return nil
}

// blobRef is a reference to an upload as it stands in a record.
type blobRef struct {
	Type string `json:"$type"`
	Ref  struct {
		Link string `json:"$link"`
	} `json:"ref"`
	MIMEType string `json:"mimeType"`
	Size     int64  `json:"size"`
}

func newBlobRef(cid, mimeType string, size int64) blobRef {
	ref := blobRef{Type: "blob", MIMEType: mimeType, Size: size}
	ref.Ref.Link = cid
	return ref
}

// embedded returns the uploads that a record embeds.
func (s *simulator) embedded(did string, e *embed) ([]simulation.Media, error) {
	switch {
	case e == nil:
		return nil, nil
	case e.Type == videoEmbed:
		item, err := s.attached(did, schema.Video, e.Video, e.Alt, e.Aspect)
		return []simulation.Media{item}, err
	case e.Type == externalEmbed:
		return nil, s.checkExternal(did, e.External)
	case e.Type != imagesEmbed:
		return nil, badRecord("only images, videos and external pages are simulated as embeds")
	case len(e.Images) > maxImages:
		return nil, badRecord(fmt.Sprintf("images must not have more than %d elements", maxImages))
	}
	var items []simulation.Media
	for _, i := range e.Images {
		item, err := s.attached(did, schema.Image, i.Image, i.Alt, i.Aspect)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// languageTag is the lexicon language's format language, but for the order of what follows the language.
var languageTag = regexp.MustCompile(`^(?:[A-Za-z]{2,8}|[ixIX]-[A-Za-z0-9]{1,8})(?:-[A-Za-z0-9]{1,8})*$`)

// uriPattern is the lexicon language's format uri, of which clients open only those of the web.
var uriPattern = regexp.MustCompile(`^https?://[!-~]+$`)

// checkExternal holds a page to app.bsky.embed.external.
func (s *simulator) checkExternal(did string, e *external) error {
	switch {
	case e == nil || e.URI == nil || e.Title == nil || e.Description == nil:
		return badRecord("an external embed needs uri, title and description")
	case !uriPattern.MatchString(*e.URI):
		return badRecord("the uri of an external embed must be a uri")
	case e.Thumb == nil:
		return nil
	}
	var ref blobRef
	if json.Unmarshal(e.Thumb, &ref) == nil && ref.Size > maxThumbBytes {
		return badRecord(fmt.Sprintf("thumb must not be larger than %d bytes", maxThumbBytes))
	}
	_, err := s.attached(did, schema.Image, e.Thumb, "", nil)
	return err
}

// attached returns the upload that a blob refers to, which must fit its embed.
func (s *simulator) attached(did string, kind schema.MediaKind, b json.RawMessage, alt string, a *aspectRatio) (simulation.Media, error) {
	var ref blobRef
	if json.Unmarshal(b, &ref) != nil || ref.Type != "blob" {
		return simulation.Media{}, badRecord("an embed has no blob")
	}
	limit := embedLimits[kind]
	switch {
	case !strings.HasPrefix(ref.MIMEType, limit.prefix):
		return simulation.Media{}, badRecord("an embed does not take " + ref.MIMEType)
	case ref.Size > limit.bytes:
		return simulation.Media{}, badRecord(fmt.Sprintf("a blob of the embed must not be larger than %d bytes", limit.bytes))
	case a != nil && (a.Width < 1 || a.Height < 1):
		return simulation.Media{}, badRecord("aspectRatio must be positive")
	}
	upload, err := s.uploaded(did, ref)
	if err != nil {
		return simulation.Media{}, err
	}
	item := upload.Media()
	item.ID, item.AltText = ref.Ref.Link, alt
	return item, nil
}

// uploaded returns the account's upload, which must be what the reference says it is.
func (s *simulator) uploaded(did string, ref blobRef) (simulation.Upload, error) {
	upload, ok := s.world.Upload(blobID(did, ref.Ref.Link))
	switch {
	case !ok || upload.ReadyAt.After(s.world.Now()):
		return simulation.Upload{}, invalid(blobNotFound, "Could not find blob: "+ref.Ref.Link)
	case upload.Type != ref.MIMEType:
		return simulation.Upload{}, invalid("InvalidMimeType", "the blob is "+upload.Type)
	case upload.Size != ref.Size:
		return simulation.Upload{}, invalid("InvalidSize", "the blob has another size")
	}
	return upload, nil
}

// maxThumbBytes is how large the thumb of an external page may be.
const maxThumbBytes = 1_000_000

// embedLimits are what embeds hold, by their lexicons.
var embedLimits = map[schema.MediaKind]struct {
	prefix string
	bytes  int64
}{
	schema.Image: {"image/", 2_000_000},
	schema.Video: {mp4, 300_000_000},
}
