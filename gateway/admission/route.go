package admission

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/answer"
	"crier/schema"
	"crier/schema/people"
)

// Route is one operation of the API.
type Route struct {
	Method   string
	Path     string
	rights   Rights // that its caller needs
	ownPages bool   // pages of other sites must not send it, even without a session
	answer   func(*gin.Context) error
	limit    time.Duration // how long it may take; zero: requestTimeout
	audited  string        // action in the audit log; empty: none
	ofPeople bool          // it is audited for members alone
}

// Audited returns the operation as one that is told in the audit log as an action. What it changes is
// written by the store, in the same transaction: the request's context says who and what.
func (r Route) Audited(action string) Route {
	r.audited = action
	return r
}

// AuditedOfPeople is Audited for what keys do as a matter of course, and is told of elsewhere: posts and media.
func (r Route) AuditedOfPeople(action string) Route {
	r.audited, r.ofPeople = action, true
	return r
}

// Public is the permission of a route that needs no key.
const Public schema.Permission = 0

// Handle returns the operation for a method and path, for keys with a permission, and members with the role
// that people.MinRole has for it.
func Handle(method, path string, permission schema.Permission, answer func(*gin.Context) error) Route {
	if permission == Public {
		return Route{Method: method, Path: path, rights: Rights{Public: true}, answer: answer}
	}
	return Route{Method: method, Path: path, rights: Rights{Permission: permission, Role: people.MinRole(permission)}, answer: answer}
}

// Carrying returns the operation as one that carries a file: it may take up to limit,
// since a file takes as long as the client's connection is slow.
func (r Route) Carrying(limit time.Duration) Route {
	r.limit = limit
	return r
}

// Limits is how long requests that carry a file may take, by method and path.
type Limits map[string]time.Duration

// LimitsOf collects those of routes under a base path.
func LimitsOf(basePath string, routes []Route) Limits {
	l := Limits{}
	for _, r := range routes {
		if r.limit > 0 {
			l[r.Method+" "+basePath+r.Path] = r.limit
		}
	}
	return l
}

// of returns how long a request to a route may take, and whether it carries a file.
func (l Limits) of(c *gin.Context) (limit time.Duration, carries bool) {
	if limit, carries = l[c.Request.Method+" "+c.FullPath()]; carries {
		return limit, true
	}
	return requestTimeout, false
}

// Handler runs the operation if its caller has the rights.
func (r Route) Handler(f answer.Failures) gin.HandlerFunc {
	return func(c *gin.Context) {
		request := RequestOf(c)
		err := r.permit(request)
		if err == nil {
			if r.audited != "" && (!r.ofPeople || request.Session != nil) {
				audited := people.Audited{Action: r.audited, Actor: request.Actor()}
				c.Request = c.Request.WithContext(people.WithAudited(c.Request.Context(), audited))
			}
			err = r.answer(c)
		}
		if err != nil {
			f.Fail(c, err)
		}
	}
}

// Find returns the thing of the key's workspace that a path names.
func Find[K schema.Kind, T any](
	c *gin.Context, named func(*gin.Context) (schema.ID[K], error), find func(context.Context, schema.WorkspaceID, schema.ID[K]) (T, error),
) (found T, err error) {
	id, err := named(c)
	if err != nil {
		return found, err
	}
	return find(c.Request.Context(), RequestOf(c).Key.Workspace, id)
}

// Remove removes a thing of the key's workspace, and answers with a message.
func Remove[K schema.Kind](
	c *gin.Context, id schema.ID[K], remove func(context.Context, schema.WorkspaceID, schema.ID[K]) error, message string,
) error {
	if err := remove(c.Request.Context(), RequestOf(c).Key.Workspace, id); err != nil {
		return err
	}
	return answer.Done(c, message)
}
