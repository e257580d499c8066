package posts

import (
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/lists"
)

// maxLookup is how many ids one request may name, of both kinds together.
const maxLookup = 1000

// lookupRest is what else of a request names posts.
type lookupRest struct {
	IDs         []schema.PostID `json:"ids,omitempty"`
	ExternalIDs []string        `json:"externalIds,omitempty"`
}

// lookup answers with the posts of ids. What names no post is left out.
func (p *posts) lookup(c *gin.Context, f *body.Form) error {
	var names schema.PostNames
	for _, text := range lookupTexts(f, "ids", body.MaxShort) {
		if id, err := schema.ParseID[schema.PostID](text); err == nil { // any other is no post's
			names.IDs = append(names.IDs, id)
		}
	}
	names.ExternalIDs = lookupTexts(f, "externalIds", maxExternalID)
	f.NoteUnread()
	if n := len(names.IDs) + len(names.ExternalIDs); n > maxLookup {
		f.Fail("ids", body.CodeTooMany, fmt.Sprintf("ids and externalIds must be at most %d together, not %d", maxLookup, n))
	}
	if err := f.Report.Err(); err != nil {
		return err
	}
	found, rest, err := p.Store.Lookup(c.Request.Context(), admission.RequestOf(c).Key.Workspace, names)
	if err != nil {
		return err
	}
	views := map[string]any{"posts": lists.Map(found, viewPost)}
	if len(rest.IDs)+len(rest.ExternalIDs) > 0 {
		views["rest"] = lookupRest{rest.IDs, rest.ExternalIDs}
	}
	return answer.Several(c, http.StatusOK, views, f.Report.Warnings)
}

func lookupTexts(f *body.Form, name string, maximum int) (texts []string) {
	items, _ := f.List(name, maxLookup)
	for i, item := range items {
		switch {
		case item.Kind != body.Text:
			f.Fail(body.Indexed(name, i), body.CodeInvalidType, f.Report.Wrong(item, body.Text))
		case len(item.Text) > maximum:
			f.Fail(body.Indexed(name, i), body.CodeTooLong, fmt.Sprintf("must be at most %d bytes long", maximum))
		default:
			texts = append(texts, item.Text)
		}
	}
	return texts
}
