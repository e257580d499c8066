package people

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/people"
)

// MailStore keeps what somebody gets of mail.
type MailStore interface {
	// Choices returns what a member gets of mail about a live workspace, of the kinds that they may have.
	Choices(ctx context.Context, user schema.UserID, workspace schema.WorkspaceID) ([]people.MailChoice, error)
	Choose(ctx context.Context, user schema.UserID, workspace schema.WorkspaceID, choices []people.MailChoice) error
	// Recipient returns the address that a token of mail was sent to, or NotFound.
	Recipient(ctx context.Context, token string) (email string, err error)
	// Refuse ends mail of a kind about a workspace; about all where that is zero.
	Refuse(ctx context.Context, email string, kind people.MailKind, workspace schema.WorkspaceID) error
}

// mail is the resource of what somebody gets of mail.
type mail struct{ Config }

func (m *mail) routes() []admission.Route {
	return []admission.Route{
		admission.HandleMember(http.MethodGet, "/me/mail", people.Viewer, body.WithoutParameters(m.list)),
		admission.HandleMember(http.MethodPatch, "/me/mail", people.Viewer, body.WithForm(m.choose)),
		admission.Handle(http.MethodGet, "/mail/unsubscribe", admission.Public, m.question),
		admission.Handle(http.MethodPost, "/mail/unsubscribe", admission.Public, m.refuse),
	}
}

// choicesView is whether a member gets mail about the workspace of their session, by kind; null: their role has none
// of it.
type choicesView struct {
	PostsFailed         *bool `json:"postsFailed"`
	AccountsToReconnect *bool `json:"accountsToReconnect"`
	KeysSuspended       *bool `json:"keysSuspended"`
}

// of is where the choice of each kind stands, by its name in the API.
func (v *choicesView) of() map[people.MailKind]**bool {
	return map[people.MailKind]**bool{
		people.MailPostsFailed: &v.PostsFailed, people.MailReconnect: &v.AccountsToReconnect, people.MailSuspension: &v.KeysSuspended,
	}
}

var choiceNames = map[people.MailKind]string{
	people.MailPostsFailed: "postsFailed", people.MailReconnect: "accountsToReconnect", people.MailSuspension: "keysSuspended",
}

// list answers with what whoever is signed in gets of mail about the session's workspace.
func (m *mail) list(c *gin.Context, warnings []schema.Detail) error {
	return m.show(c, warnings)
}

func (m *mail) show(c *gin.Context, warnings []schema.Detail) error {
	session := admission.RequestOf(c).Session
	all, err := m.Mail.Choices(c.Request.Context(), session.User.ID, session.Workspace)
	if err != nil {
		return err
	}
	var view choicesView
	for _, choice := range all {
		if at, ok := view.of()[choice.Kind]; ok {
			*at = &choice.Wanted
		}
	}
	return answer.Named(c, http.StatusOK, "mail", view, warnings)
}

// choose stores what they want to get.
func (m *mail) choose(c *gin.Context, f *body.Form) error {
	session := admission.RequestOf(c).Session
	var wanted []people.MailChoice
	for _, kind := range people.MailKinds() { // in one order, so that two such requests do not wait for each other
		name, isChosen := choiceNames[kind]
		if !isChosen {
			continue
		}
		if want, ok := f.Boolean(name); ok {
			if session.Role < kind.Min() {
				f.Fail(name, body.CodeInvalidValue, "needs the role "+kind.Min().String())
			}
			wanted = append(wanted, people.MailChoice{Kind: kind, Wanted: want})
		}
	}
	if err := f.Finish(); err != nil {
		return err
	}
	if err := m.Mail.Choose(c.Request.Context(), session.User.ID, session.Workspace, wanted); err != nil {
		return err
	}
	return m.show(c, f.Report.Warnings)
}

//go:embed templates
var templates embed.FS

var unsubscribePage = template.Must(template.ParseFS(templates, "templates/unsubscribe.html"))

// refusalView is the page of whoever wants no more mail.
type refusalView struct {
	Email string
	About string
	Done  bool
}

// aboutMail is how a page names mail of a kind.
var aboutMail = map[people.MailKind]string{
	people.MailInvitation: "that invites them", people.MailPostsFailed: "about posts that failed in this workspace",
	people.MailReconnect: "about accounts of this workspace that have to be connected again", people.MailSuspension: "about suspended keys of this workspace",
	people.MailNotice: "about changes of the API",
}

// refusal is what the link of a mail says.
type refusal struct {
	email     string
	kind      people.MailKind
	workspace schema.WorkspaceID // zero: of none
}

// question asks whoever opens the link of a mail. Opening alone changes nothing: programs that look for malice open
// links too.
func (m *mail) question(c *gin.Context) error {
	r, err := m.read(c)
	if err != nil {
		return err
	}
	showPage(c, refusalView{Email: r.email, About: aboutMail[r.kind]})
	return nil
}

// refuse ends the mail of a link: by the page, or by one click in a program that reads mail (RFC 8058).
func (m *mail) refuse(c *gin.Context) error {
	r, err := m.read(c)
	if err != nil {
		return err
	}
	if err := m.Mail.Refuse(c.Request.Context(), r.email, r.kind, r.workspace); err != nil {
		return err
	}
	showPage(c, refusalView{Email: r.email, About: aboutMail[r.kind], Done: true})
	return nil
}

var errUnsubscribe = &schema.Error{Kind: schema.NotFound, Message: "this link is of no mail that can be ended"}

func (m *mail) read(c *gin.Context) (r refusal, err error) {
	q, err := url.ParseQuery(c.Request.URL.RawQuery)
	if err != nil {
		return r, errUnsubscribe
	}
	r.kind = people.ParseMailKind(q.Get("kind"))
	if r.kind == 0 || !r.kind.Refusable() {
		return r, errUnsubscribe
	}
	if text := q.Get("workspace"); text != "" {
		if r.workspace, err = schema.ParseID[schema.WorkspaceID](text); err != nil {
			return r, errUnsubscribe
		}
	}
	if _, ok := people.HashToken(q.Get("token")); !ok {
		return r, errUnsubscribe
	}
	r.email, err = m.Mail.Recipient(c.Request.Context(), q.Get("token"))
	return r, err
}

func showPage(c *gin.Context, view refusalView) {
	var page bytes.Buffer
	if err := unsubscribePage.Execute(&page, view); err != nil {
		panic("rendering a page: " + err.Error())
	}
	c.Header("Content-Security-Policy", "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'")
	c.Header("X-Content-Type-Options", "nosniff")
	c.Header("Referrer-Policy", "no-referrer") // the address holds a token
	c.Header("Cache-Control", "no-store")
	c.Data(http.StatusOK, "text/html; charset=utf-8", page.Bytes())
}
