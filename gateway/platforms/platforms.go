package platforms

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/gateway/directory"
	"crier/schema"
	"crier/schema/lists"
)

// Config is what platforms are served with.
type Config struct {
	Accounts    directory.Directories
	Constraints func(schema.Platform) schema.Constraints
	Now         func() time.Time
}

// Routes returns the operations of platforms.
func Routes(c Config) []admission.Route {
	p := &platforms{c}
	return []admission.Route{
		admission.Handle(http.MethodGet, "/platforms", schema.Read, body.WithoutParameters(p.list)),
		admission.Handle(http.MethodGet, "/platforms/:platform", schema.Read, p.get),
	}
}

// platforms is the resource.
type platforms struct{ Config }

// list answers what is taken on each platform, of an account of which nothing else is known.
func (p *platforms) list(c *gin.Context, warnings []schema.Detail) error {
	found, err := p.Accounts.Get(c.Request.Context(), admission.RequestOf(c).Key.Workspace)
	if err != nil {
		return err
	}
	views := lists.Map(schema.Platforms(), func(platform schema.Platform) platformView {
		return viewPlatform(p.Constraints(platform), schema.Account{Platform: platform, Limits: found.Limits()})
	})
	return answer.Several(c, http.StatusOK, map[string]any{"limits": found.Limits(), "platforms": views}, warnings)
}

// get answers what is taken on one platform, of an account where one is named.
func (p *platforms) get(c *gin.Context) error {
	platform, err := schema.ParsePlatform(c.Param("platform"))
	if err != nil {
		return &schema.Error{Kind: schema.NotFound, Message: body.NoPlatform(c.Param("platform")), Err: err}
	}
	q := body.NewQuery(c)
	name, _ := q.Text("accountId")
	if err := q.Finish(); err != nil {
		return err
	}
	r := admission.RequestOf(c)
	isThere := func(d *directory.Directory) bool { return name == "" || d.Named(platform, name) != nil }
	found, err := p.Accounts.Find(c.Request.Context(), r.Key.Workspace, p.Now(), isThere)
	if err != nil {
		return err
	}
	account := &schema.Account{Platform: platform, Limits: found.Limits()}
	if name != "" {
		if account = found.Named(platform, name); account == nil {
			return &schema.Error{Kind: schema.NotFound, Message: "there is no such account on " + platform.String() + ": GET /accounts lists those there are"}
		}
	}
	views := map[string]any{"limits": account.Limits, "platform": viewPlatform(p.Constraints(platform), *account)}
	return answer.Several(c, http.StatusOK, views, q.Report.Warnings)
}
