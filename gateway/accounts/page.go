package accounts

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"crier/connectors"
	"crier/gateway/answer"
	"crier/schema"
	"crier/schema/face"
)

//go:embed templates
var templates embed.FS

//go:embed templates/page.css
var pageSheet string

var pageStyle = face.New(pageSheet)

var pageTemplate = template.Must(template.New("page.html").Funcs(pageStyle.Funcs()).ParseFS(templates, "templates/page.html"))

// pageView is one page that a person sees on the way to a connected account.
type pageView struct {
	Title    string
	Message  string
	Failed   bool // it came to nothing
	Accounts []accountView
	Again    string // where it can be tried once more
	Question *questionView
	Choice   *choiceView
	Retry    url.Values // the fields of the form that came to nothing, and can be sent again
}

type questionView struct{ Platform, Workspace, Name, Token string }

type choiceView struct {
	Platform, Workspace, Token string

	Entities []connectors.Entity
}

// showQuestion asks whether what was granted is for the workspace that asked for it.
func (s *authorizations) showQuestion(c *gin.Context, consent schema.Consent, token, name string) {
	showPage(c, http.StatusOK, consent.Redirect, pageView{Title: "Connect an account", Question: &questionView{
		Platform: s.Connecting(consent.Platform).Label, Workspace: workspaceTitle(consent), Name: name, Token: token,
	}})
}

func workspaceTitle(c schema.Consent) string {
	if c.Sandbox {
		return c.WorkspaceName + " (sandbox)"
	}
	return c.WorkspaceName
}

// showChoice asks what of theirs the person wants to connect.
func (s *authorizations) showChoice(c *gin.Context, consent schema.Consent, token, problem string, found []connectors.Entity) {
	showPage(c, http.StatusOK, "", pageView{Title: "Choose what to connect", Message: problem, Failed: problem != "", Choice: &choiceView{
		Platform: s.Connecting(consent.Platform).Label, Workspace: workspaceTitle(consent), Token: token, Entities: found,
	}})
}

// showRetry lets a person send a form of ours again.
func showRetry(c *gin.Context, consent schema.Consent, why *schema.Error) {
	showPage(c, http.StatusOK, consent.Redirect, pageView{
		Title: "Not connected yet", Failed: true, Message: "It can be tried again for ten minutes: " + why.Message, Retry: c.Request.PostForm,
	})
}

// publicError is what a person may read of an error: what a platform answered, too.
func publicError(err error) *schema.Error {
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Kind >= schema.Refused {
		return e
	}
	return answer.Actionable(err)
}

func (s *authorizations) showEnding(c *gin.Context, consent schema.Consent, e ending) {
	if e.Code != "" {
		showPage(c, http.StatusBadRequest, "", pageView{Title: "Not connected", Failed: true, Message: e.Message})
		return
	}
	showPage(c, http.StatusOK, "", pageView{
		Title: "Connected", Message: "You can close this page. Connected to " + workspaceTitle(consent) + ":", Accounts: e.Accounts,
	})
}

// showReconnected tells how an account stands that was to be connected again.
func (s *authorizations) showReconnected(c *gin.Context, account schema.Account, e ending) {
	again := s.reconnectPage(account.Platform, c.Query("token"))
	switch {
	case e.Code != "":
		showPage(c, http.StatusOK, "", pageView{Title: "Not connected", Failed: true, Message: e.Message, Again: again})
	case account.Problem() != nil:
		showPage(c, http.StatusOK, "", pageView{Title: "Not connected", Failed: true, Message: account.Problem().Message, Again: again})
	default:
		showPage(c, http.StatusOK, "", pageView{
			Title: "Connected", Message: "You can close this page. Connected again:", Accounts: []accountView{viewAccount(account)},
		})
	}
}

// showGone answers a token that leads nowhere.
func (s *authorizations) showGone(c *gin.Context) {
	showPage(c, http.StatusGone, "", pageView{
		Title: "This link has ended", Message: "It was used already, or is more than ten minutes old. Begin again where you came from.",
	})
}

// showPage shows a page. Its forms go to this server; where the answer to one sends the person
// on, to that address too, which browsers hold against form-action as well.
func showPage(c *gin.Context, status int, next string, view pageView) {
	var page bytes.Buffer
	if err := pageTemplate.Execute(&page, view); err != nil {
		panic("rendering a page: " + err.Error())
	}
	c.Header("Content-Security-Policy", "default-src 'none'; style-src "+pageStyle.Source()+"; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"+originOf(next))
	c.Header("X-Content-Type-Options", "nosniff")
	c.Header("Referrer-Policy", "no-referrer") // the address holds a code
	c.Header("Cache-Control", "no-store")
	c.Data(status, "text/html; charset=utf-8", page.Bytes())
}

func originOf(address string) string {
	u, err := url.Parse(address)
	if address == "" || err != nil {
		return ""
	}
	return " " + u.Scheme + "://" + u.Host
}
