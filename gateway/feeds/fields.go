package feeds

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"crier/gateway/body"
	"crier/schema"
)

// monitorFields is what a request says about a monitor. Nil is an absent field.
type monitorFields struct {
	name      *string
	include   []string
	exclude   []string // empty: none any more
	language  *string
	platforms []schema.Platform
	paused    *bool
}

func readFields(f *body.Form) monitorFields {
	anyLanguage := f.IsNull("language")
	fields := monitorFields{
		include: readKeywords(f, "include"), exclude: readKeywords(f, "exclude"),
		language: body.Optional(f.Text("language", body.MaxShort)), platforms: readPlatforms(f),
	}
	if _, there := f.Find("name"); there {
		name := f.GivenName()
		fields.name = &name
	}
	if anyLanguage {
		fields.language = new(string)
	}
	if paused, ok := f.Boolean("isPaused"); ok {
		fields.paused = &paused
	}
	if fields.include != nil && len(fields.include) == 0 && !f.Report.About("include") {
		f.Fail("include", body.CodeRequired, "at least one keyword is required")
	}
	if fields.language != nil && !anyLanguage && !isLanguage(*fields.language) {
		f.Fail("language", body.CodeInvalidValue, "must be a language of two letters (ISO 639-1), such as en, or null for any")
	}
	return fields
}

func isLanguage(text string) bool {
	return len(text) == 2 && 'a' <= text[0] && text[0] <= 'z' && 'a' <= text[1] && text[1] <= 'z'
}

// readKeywords returns a list of keywords, each once; nil without one.
func readKeywords(f *body.Form, field string) []string {
	items, ok := f.List(field, schema.MaxKeywords)
	if !ok {
		return nil
	}
	keywords := []string{}
	for i, item := range items {
		keyword := strings.Join(strings.Fields(item.Text), " ")
		switch why := wrongKeyword(keyword); {
		case item.Kind != body.Text:
			f.Fail(body.Indexed(field, i), body.CodeInvalidType, f.Report.Wrong(item, body.Text))
		case why != "":
			f.Fail(body.Indexed(field, i), body.CodeInvalidValue, why)
		case !slices.Contains(keywords, keyword):
			keywords = append(keywords, keyword)
		}
	}
	return keywords
}

// wrongKeyword says why something can be no keyword.
func wrongKeyword(keyword string) string {
	n := utf8.RuneCountInString(keyword)
	switch {
	case n < schema.ShortestKeyword || n > schema.LongestKeyword:
		return fmt.Sprintf("must have %d to %d characters, not %d", schema.ShortestKeyword, schema.LongestKeyword, n)
	case strings.ContainsFunc(keyword, unicode.IsControl):
		return "must have no control characters"
	case !strings.ContainsFunc(keyword, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.S, r) }):
		return "must have a letter, a digit or a symbol"
	}
	return ""
}

func readPlatforms(f *body.Form) []schema.Platform {
	items, ok := f.List("platforms", 10)
	if !ok {
		return nil
	}
	var platforms []schema.Platform
	for i, item := range items {
		platform, err := schema.ParsePlatform(item.Text)
		switch {
		case item.Kind != body.Text:
			f.Fail(body.Indexed("platforms", i), body.CodeInvalidType, f.Report.Wrong(item, body.Text))
		case err != nil || !slices.Contains(schema.MonitorPlatforms(), platform):
			f.Fail(body.Indexed("platforms", i), body.CodeInvalidValue, "monitors look at bluesky and threads")
		case !slices.Contains(platforms, platform):
			platforms = append(platforms, platform)
		}
	}
	if len(items) == 0 {
		f.Fail("platforms", body.CodeRequired, "at least one platform is required")
	}
	return platforms
}

func (f monitorFields) apply(m *schema.Monitor) error {
	if f.name != nil {
		m.Name = *f.name
	}
	if f.include != nil {
		m.Include = f.include
	}
	if f.exclude != nil {
		m.Exclude = f.exclude
	}
	if f.language != nil {
		m.Language = *f.language
	}
	if f.platforms != nil {
		m.Platforms = f.platforms
	}
	if f.paused != nil {
		m.Paused = *f.paused
	}
	return nil
}
