package gateway

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/spelling"
)

// endpoints answers requests that no route takes: it says what there is instead.
type endpoints struct {
	failures  answer.Failures
	methods   map[string]string // that a path takes, as Allow lists them, by the path of its route
	resources []string          // the first parts of paths below basePath
}

func newEndpoints(f answer.Failures, routes gin.RoutesInfo) *endpoints {
	e := &endpoints{failures: f, methods: make(map[string]string)}
	for _, r := range routes {
		e.methods[r.Path] = strings.TrimPrefix(e.methods[r.Path]+", "+r.Method, ", ")
		if below, ok := strings.CutPrefix(r.Path, basePath+"/"); ok {
			e.resources = append(e.resources, parts(below)[0])
		}
	}
	slices.Sort(e.resources)
	e.resources = slices.Compact(e.resources)
	return e
}

// notFound answers 404.
func (e *endpoints) notFound(c *gin.Context) {
	message := "there is no such endpoint"
	below := withoutBase(parts(c.Request.URL.Path))
	if meant := e.nearest(c.Request.URL.Path); meant != "" {
		message += "; did you mean " + meant + "?"
	} else if len(below) == 3 && below[2] == "cancel" && (below[0] == "posts" || below[0] == "threads") {
		message += "; DELETE " + basePath + "/" + below[0] + "/{id} cancels"
	} else {
		message += "; below " + basePath + " there are " + strings.Join(e.resources, ", ") + ", and the reference at " + pagesPath + " lists all"
	}
	e.failures.Fail(c, &schema.Error{Kind: schema.NotFound, Message: message})
}

// otherMethod answers 405. The Allow that gin has set for /posts/validate also lists what
// /posts/:id takes; a path without parameters gets its own list, except one that ends
// with a platform, which /connect/:platform takes too.
func (e *endpoints) otherMethod(c *gin.Context) {
	_, err := schema.ParsePlatform(path.Base(c.Request.URL.Path))
	if methods, exact := e.methods[c.Request.URL.Path]; exact && err != nil {
		c.Header("Allow", methods)
	}
	message := "this endpoint takes " + c.Writer.Header().Get("Allow") + ", not " + body.Clip(c.Request.Method)
	if c.Request.Method == http.MethodPut && strings.Contains(c.Writer.Header().Get("Allow"), http.MethodPatch) {
		message += "; PATCH changes the fields that it names"
	}
	e.failures.Fail(c, &schema.Error{Kind: schema.MethodNotAllowed, Message: message})
}

// maxPath bounds the paths that are compared, in bytes, and maxParts their parts.
const (
	maxPath  = 256
	maxParts = 8
)

// nearest returns the path of the API that is most like one that is none; empty where none is.
func (e *endpoints) nearest(unknown string) string {
	wanted := withoutBase(parts(unknown))
	if len(unknown) > maxPath || len(wanted) == 0 || len(wanted) > maxParts {
		return ""
	}
	best, fewest := "", len(wanted)+1
	for _, route := range slices.Sorted(maps.Keys(e.methods)) {
		below, isAPI := strings.CutPrefix(route, basePath+"/")
		if !isAPI {
			continue
		}
		if meant, wrong := corrected(wanted, parts(below)); meant != "" && wrong < fewest {
			best, fewest = basePath+"/"+meant, wrong
		}
	}
	return best
}

// corrected returns a path whose parts are spelled as a route has them, and how many were wrong;
// empty where the path is not like the route, or nothing but a parameter of it.
func corrected(wanted, route []string) (meant string, wrong int) {
	if len(wanted) != len(route) {
		return "", 0
	}
	spelled := slices.Clone(wanted)
	for i, name := range route {
		switch {
		case strings.HasPrefix(name, ":"), name == wanted[i]:
		case spelling.Nearest(wanted[i], []string{name}) != "":
			spelled[i] = name
			wrong++
		default:
			return "", 0
		}
	}
	return strings.Join(spelled, "/"), wrong
}

// withoutBase drops what stands before the parts of a path below basePath, or some of it.
func withoutBase(all []string) []string {
	for _, base := range parts(basePath) {
		if len(all) > 0 && all[0] == base {
			all = all[1:]
		}
	}
	return all
}

// parts divides a path, without empty parts.
func parts(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(part string) bool { return part == "" })
}
