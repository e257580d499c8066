package gateway

import (
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// route is one operation of the API.
type route struct {
	method     string
	path       string
	permission schema.Permission // that its key needs
	answer     func(*gin.Context) error
	limit      time.Duration // how long it may take; zero: requestTimeout
}

// public is the permission of a route that needs no key.
const public schema.Permission = 0

// handle returns the operation that answers a method at a path, for keys of a permission.
func handle(method, path string, permission schema.Permission, answer func(*gin.Context) error) route {
	return route{method: method, path: path, permission: permission, answer: answer}
}

// carrying returns the operation as one that carries a file, which takes as long as the line
// is slow.
func (r route) carrying(limit time.Duration) route {
	r.limit = limit
	return r
}

// limits is how long requests may take that carry a file, by method and path.
type limits map[string]time.Duration

// limitsOf collects those of routes under a base path.
func limitsOf(basePath string, routes []route) limits {
	l := limits{}
	for _, r := range routes {
		if r.limit > 0 {
			l[r.method+" "+basePath+r.path] = r.limit
		}
	}
	return l
}

// of returns how long a request to a route may take, and whether it carries a file.
func (l limits) of(c *gin.Context) (limit time.Duration, carries bool) {
	if limit, carries = l[c.Request.Method+" "+c.FullPath()]; carries {
		return limit, true
	}
	return requestTimeout, false
}

// handler answers the operation, for those who may use it.
func (r route) handler(f failures) gin.HandlerFunc {
	return func(c *gin.Context) {
		if r.permission != public {
			if err := permit(requestOf(c), r.permission); err != nil {
				f.fail(c, err)
				return
			}
		}
		if err := r.answer(c); err != nil {
			f.fail(c, err)
		}
	}
}
