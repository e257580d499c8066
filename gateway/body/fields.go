package body

import (
	"fmt"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
	"crier/schema/spelling"
)

// Bounds of fields that several resources have, in bytes.
const (
	MaxShort   = 100 // ids, times, words
	MaxName    = 200 // that clients give
	MaxURL     = 2048
	MaxAltText = 4 * 1000 // 1,000 characters of at most 4 bytes
	maxEmail   = 254      // the longest valid address of e-mail (RFC 5321, 4.5.3.1.3)
)

// How long a secret keeps working after it has been replaced.
const (
	defaultOverlap = 24 * time.Hour
	maxOverlap     = 7 * 24 * time.Hour
)

// GivenName reads the field name; empty without one.
func (f *Form) GivenName() string {
	name, ok := f.Text("name", MaxName)
	if ok && strings.TrimSpace(name) == "" {
		f.Fail("name", CodeInvalidValue, "must not be empty")
	}
	return strings.TrimSpace(name)
}

// Email reads an address of e-mail without a display name; empty without one.
func (f *Form) Email(name string) string {
	text, ok := f.Text(name, maxEmail)
	if !ok {
		return ""
	}
	parsed, err := mail.ParseAddress(text)
	if err != nil || parsed.Address != text {
		f.Fail(name, CodeInvalidValue, "must be an address of e-mail, such as ada@example.com")
	}
	return text
}

// Brand reads the brand that a request names; the store checks whether it is the
// workspace's.
func (f *Form) Brand() schema.BrandID {
	text, ok := f.Text("brandId", MaxName)
	if !ok {
		return schema.BrandID{}
	}
	id, err := schema.ParseID[schema.BrandID](text)
	if err != nil {
		f.Fail("brandId", "brand_unknown", "there is no such brand: GET /brands lists their ids")
	}
	return id
}

// Brand returns the brand to filter by; zero for none.
func (q *Query) Brand() schema.BrandID { return QueryID(q, "brandId", schema.ParseID[schema.BrandID]) }

// CheckURL fails a field that is not an http or https URL.
func (f *Form) CheckURL(name, address string) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		f.Fail(name, CodeInvalidURL, "must be a public http or https URL")
	}
}

// ReadOverlap reads a rotation's only field: how long the old secret keeps working.
func ReadOverlap(c *gin.Context) (overlap time.Duration, warnings []schema.Detail, err error) {
	f, err := ReadOptionalForm(c)
	if err != nil {
		return 0, nil, err
	}
	overlap = defaultOverlap
	if seconds, ok := f.Integer("overlapSeconds"); ok {
		overlap = time.Duration(seconds) * time.Second
		if seconds < 0 || seconds > int(maxOverlap/time.Second) {
			f.Fail("overlapSeconds", CodeInvalidValue, fmt.Sprintf("must be from 0 to %d", int(maxOverlap/time.Second)))
		}
	}
	err = f.Finish()
	return overlap, f.Report.Warnings, err
}

// Optional returns a field that was there, nil for one that was not.
func Optional(s string, ok bool) *string {
	if !ok {
		return nil
	}
	return new(s)
}

// Indexed returns how a sender calls an item of a list, such as platforms[2].
func Indexed(name string, i int) string { return name + "[" + strconv.Itoa(i) + "]" }

// NoPlatform is the message for a name that is not a platform's.
func NoPlatform(name string) string {
	return fmt.Sprintf("%q is no platform%s: %s are", Clip(name), LikePlatform(name), schema.PlatformNames())
}

// LikePlatform is the part of a message that says which platform may be meant by a name that is
// none; empty if none is like it.
func LikePlatform(name string) string {
	if meant := MeantPlatform(name); meant != "" {
		return " (did you mean " + meant + "?)"
	}
	return ""
}

// MeantPlatform returns the platform whose name is most like another; empty if none is like it.
func MeantPlatform(name string) string {
	if strings.EqualFold(name, "x") {
		return schema.Twitter.String()
	}
	names := make([]string, 0, len(schema.Platforms()))
	for _, p := range schema.Platforms() {
		names = append(names, p.String())
	}
	return spelling.Nearest(name, names)
}
