package deletions

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/gateway/answer"
	"crier/schema"
	"crier/schema/face"
)

//go:embed templates
var templates embed.FS

var statusStyle = face.New("")

var statusTemplate = template.Must(template.New("status.html").Funcs(statusStyle.Funcs()).ParseFS(templates, "templates/status.html"))

// deletionView is a deletion as the API shows it. It says nothing of what is deleted.
type deletionView struct {
	ID           schema.DeletionID `json:"id"`
	Of           string            `json:"of"` // workspace or account
	Status       string            `json:"status"`
	Posts        int64             `json:"posts"` // there were when it was asked for
	PostsRemoved int64             `json:"postsRemoved"`
	RowsRemoved  int64             `json:"rowsRemoved"`
	StatusURL    string            `json:"statusUrl"`
	AskedAt      answer.Moment     `json:"askedAt"`
	StoppedAt    *answer.Moment    `json:"stoppedAt"` // from then on nothing goes out
	EndedAt      *answer.Moment    `json:"endedAt"`
}

type contentsView struct {
	Workspace string `json:"workspace,omitempty"`
	Accounts  int    `json:"accounts"`
	Keys      int    `json:"keys"`
	Brands    int    `json:"brands"`
	Queues    int    `json:"queues"`
	Webhooks  int    `json:"webhooks"`
	Posts     int    `json:"posts"`
	OpenPosts int    `json:"openPosts"`
	Media     int    `json:"media"`
}

func viewContents(c schema.DeletionContents) contentsView {
	return contentsView{
		Workspace: c.Workspace, Accounts: c.Accounts, Keys: c.Keys, Brands: c.Brands, Queues: c.Queues, Webhooks: c.Webhooks,
		Posts: c.Posts, OpenPosts: c.Open, Media: c.Media,
	}
}

// view shows the deletions of one request as one, which is as far as the last of them.
func (d *deletions) view(all []schema.Deletion, id schema.DeletionID) deletionView {
	v := deletionView{ID: id, Of: "account", StatusURL: d.StatusURL + id.String(), AskedAt: answer.Moment(all[0].AskedAt)}
	if all[0].OfWorkspace {
		v.Of = "workspace"
	}
	last := all[0]
	for _, deletion := range all {
		v.Posts, v.PostsRemoved, v.RowsRemoved = v.Posts+deletion.Posts, v.PostsRemoved+deletion.PostsRemoved, v.RowsRemoved+deletion.RowsRemoved
		if deletion.Status < last.Status {
			last = deletion
		}
	}
	v.Status, v.StoppedAt, v.EndedAt = last.Status.String(), answer.MomentOrNull(last.StoppedAt), answer.MomentOrNull(last.EndedAt)
	return v
}

// showStatus answers with a page.
func showStatus(c *gin.Context, view deletionView) error {
	var page bytes.Buffer
	if err := statusTemplate.Execute(&page, view); err != nil {
		return fmt.Errorf("rendering the state of a deletion: %w", err)
	}
	c.Header("Content-Security-Policy", "default-src 'none'; style-src "+statusStyle.Source()+"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	c.Header("X-Content-Type-Options", "nosniff")
	c.Header("Referrer-Policy", "no-referrer")
	c.Data(http.StatusOK, "text/html; charset=utf-8", page.Bytes())
	return nil
}
