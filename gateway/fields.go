package gateway

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// Bounds of fields that several resources have, in bytes.
const (
	maxShort   = 100 // ids, times, words
	maxName    = 200 // that clients give
	maxURL     = 2048
	maxAltText = 4 * 1000 // 1,000 characters of at most 4 bytes
)

// How long a secret works on beside the one that replaces it.
const (
	defaultOverlap = 24 * time.Hour
	maxOverlap     = 7 * 24 * time.Hour
)

// title reads the name that a client gives something; empty where there is none.
func (f *form) title() string {
	name, ok := f.text("name", maxName)
	if ok && strings.TrimSpace(name) == "" {
		f.fail("name", codeInvalidValue, "must not be empty")
	}
	return strings.TrimSpace(name)
}

// brand reads the brand that a request names; whether it is the workspace's is for the
// store to say.
func (f *form) brand() schema.BrandID {
	text, ok := f.text("brandId", maxName)
	if !ok {
		return schema.BrandID{}
	}
	id, err := schema.ParseBrandID(text)
	if err != nil {
		f.fail("brandId", "brand_unknown", "there is no such brand")
	}
	return id
}

// brand returns the brand that a request filters by; zero: by none.
func (q *query) brand() schema.BrandID {
	text, ok := q.word("brandId")
	if !ok {
		return schema.BrandID{}
	}
	id, err := schema.ParseBrandID(text)
	if err != nil {
		q.report.fail("brandId", codeInvalidValue, err.Error())
	}
	return id
}

// checkURL fails a field that is no address of the web.
func (f *form) checkURL(name, address string) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		f.fail(name, codeInvalidURL, "must be a public http or https URL")
	}
}

// readOverlap reads how long a secret works on beside the one that replaces it, which is
// all that a rotation may say.
func readOverlap(c *gin.Context) (overlap time.Duration, warnings []schema.Detail, err error) {
	f, err := readOptionalForm(c)
	if err != nil {
		return 0, nil, err
	}
	overlap = defaultOverlap
	if seconds, ok := f.integer("overlapSeconds"); ok {
		overlap = time.Duration(seconds) * time.Second
		if seconds < 0 || seconds > int(maxOverlap/time.Second) {
			f.fail("overlapSeconds", codeInvalidValue, fmt.Sprintf("must be from 0 to %d", int(maxOverlap/time.Second)))
		}
	}
	f.finish()
	return overlap, f.report.warnings, f.report.err()
}

// optional returns a field that was there, nil for one that was not.
func optional(s string, ok bool) *string {
	if !ok {
		return nil
	}
	return new(s)
}

// indexed returns how a sender calls an item of a list, such as platforms[2].
func indexed(name string, i int) string { return name + "[" + strconv.Itoa(i) + "]" }

// noPlatform says that a name is none of a platform.
func noPlatform(name string) string { return fmt.Sprintf("%q is no platform", clip(name)) }
