package gateway

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

// deprecation is that of an operation: the description marks it by deprecated, x-deprecated, the day since when
// it is, and x-sunset, the day on which it may end.
type deprecation struct {
	operation     string // its id
	since, sunset time.Time
}

// minNotice is how long an operation stays after it was deprecated (the Versioning of the API).
const minNotice = 90 * 24 * time.Hour

// deprecations are those of a description, by method and path of the description.
func deprecations(document map[string]any) (map[string]deprecation, error) {
	found := make(map[string]deprecation)
	paths, _ := document["paths"].(map[string]any)
	for path, item := range paths {
		operations, _ := item.(map[string]any)
		for method, operation := range operations {
			fields, _ := operation.(map[string]any)
			if fields["deprecated"] != true {
				continue
			}
			name := strings.ToUpper(method) + " " + path
			d, err := readDeprecation(fields)
			if err != nil {
				return nil, fmt.Errorf("reading the deprecation of %s: %w", name, err)
			}
			found[name] = d
		}
	}
	return found, nil
}

func readDeprecation(operation map[string]any) (d deprecation, err error) {
	d.operation, _ = operation["operationId"].(string)
	if d.since, err = time.Parse(time.DateOnly, fmt.Sprint(operation["x-deprecated"])); err != nil {
		return d, fmt.Errorf("x-deprecated: %w", err)
	}
	if d.sunset, err = time.Parse(time.DateOnly, fmt.Sprint(operation["x-sunset"])); err != nil {
		return d, fmt.Errorf("x-sunset: %w", err)
	}
	if d.sunset.Sub(d.since) < minNotice {
		return d, fmt.Errorf("x-sunset: it ends less than %.0f days after x-deprecated", minNotice.Hours()/24)
	}
	return d, nil
}

// announce says on every answer of an operation, also of a refusal, that it ends: Deprecation (RFC 9745) and
// Sunset (RFC 8594), with a link to its place in the reference.
func (d deprecation) announce(reference string) gin.HandlerFunc {
	return func(c *gin.Context) {
		c.Header("Deprecation", "@"+strconv.FormatInt(d.since.Unix(), 10))
		c.Header("Sunset", d.sunset.Format(http.TimeFormat))
		c.Header("Link", "<"+reference+"#"+d.operation+`>; rel="deprecation"; type="text/html"`)
	}
}
