package admission

import (
	"github.com/gin-gonic/gin"

	"crier/schema"
	"crier/schema/people"
)

// Rights are what a caller needs for an operation. Each operation says it beside its route; the table in
// docs/people.md is made of them.
type Rights struct {
	Public     bool              // nobody is asked who they are
	Permission schema.Permission // of an API key; 0: no key will do
	Role       people.Role       // of a member, at least; people.Anyone: it is enough to be signed in
	Operator   bool              // the mark of a user, and no role: it shows the whole installation
}

// Rights returns those that the operation needs.
func (r Route) Rights() Rights { return r.rights }

// HandleMember returns an operation for people who are signed in, with a role in their session's workspace;
// people.Anyone: without any. No key does it.
func HandleMember(method, path string, role people.Role, answer func(*gin.Context) error) Route {
	return Route{Method: method, Path: path, rights: Rights{Role: role}, answer: answer}
}

// HandleOperator returns an operation that shows the whole installation.
func HandleOperator(method, path string, answer func(*gin.Context) error) Route {
	return Route{Method: method, Path: path, rights: Rights{Operator: true}, answer: answer}
}

// HandleVisitor returns an operation by which a browser gets its session: pages of other sites cannot make
// it do so.
func HandleVisitor(method, path string, answer func(*gin.Context) error) Route {
	return Route{Method: method, Path: path, rights: Rights{Public: true}, ownPages: true, answer: answer}
}

// For returns the operation as one for members of another role than a key's permission would ask for.
func (r Route) For(role people.Role) Route {
	r.rights.Role = role
	return r
}

// permit refuses a request whose caller may not do what the operation does.
func (r Route) permit(caller *Request) error {
	switch {
	case r.ownPages && caller.crossOrigin:
		return errCrossOrigin()
	case r.rights.Public:
		return nil
	case caller.Session != nil:
		return r.permitMember(caller)
	case caller.Key.ID.IsZero():
		return unauthorized(caller.keyless)
	case caller.Key.Unconfirmed:
		return &schema.Error{Kind: schema.KeyUnconfirmed, Message: "this server was restored from a backup, and its operator has not confirmed this API key since: crier keys confirm"}
	case r.rights.Permission == 0:
		return forbidden("this is for people who are signed in: no API key does it")
	case caller.Key.Permission < r.rights.Permission:
		return forbidden("this needs the permission " + r.rights.Permission.String() + "; the key's is " + caller.Key.Permission.String())
	default:
		return nil
	}
}

func (r Route) permitMember(caller *Request) error {
	if err := caller.Genuine(); err != nil {
		return err
	}
	switch {
	case r.rights.Operator && !caller.Session.User.IsOperator:
		return forbidden("this is for the operator of the installation")
	case r.rights.Role == people.Anyone:
		return nil
	case caller.turned:
		return errTurned
	case caller.Session.Scope.IsZero():
		return forbidden("the session works on no workspace: PATCH /session chooses one that you are a member of")
	case caller.Session.Role < r.rights.Role:
		return forbidden("this needs the role " + r.rights.Role.String() + "; yours is " + caller.Session.Role.String())
	default:
		return nil
	}
}

// errTurned is for what would be done on another workspace or mode than the page shows that asks for it.
var errTurned = &schema.Error{
	Kind: schema.Forbidden, Message: "the session works on another workspace or mode than " + ScopeHeader + " says",
	Details: []schema.Detail{{Field: ScopeHeader, Code: "scope_changed", Message: "the session was turned to another workspace or mode meanwhile, and nothing was done; GET /session shows where it works now"}},
}

// Genuine refuses a request that the page of another site may have made a browser send in somebody's session.
func (r *Request) Genuine() error {
	switch {
	case r.crossOrigin:
		return errCrossOrigin()
	case r.forged:
		return forbidden("the header " + CSRFHeader + " with the session's csrfToken is needed, which GET /session shows")
	default:
		return nil
	}
}

func forbidden(message string) *schema.Error {
	return &schema.Error{Kind: schema.Forbidden, Message: message}
}

func errCrossOrigin() error { return forbidden("requests from pages of other sites are refused") }
