package validation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"crier/schema"
)

// Check checks content against what the platforms of its targets take. It returns
// everything that is wrong and everything worth a warning at once, each with the field
// of the API it is about; content without errors can be published as far as can be told
// before its media are probed. constraintsOf returns what a target's account is held to, and
// of a target without an account what its platform takes.
//
// An error that the platform's own limits would not have says so: see schema.PlatformLimits.
func Check(c schema.Content, targets []schema.Target, constraintsOf func(schema.Target) *schema.Constraints) (errors, warnings []schema.Detail) {
	errors, warnings = check(c, targets, constraintsOf)
	isWider := func(t schema.Target) bool { return len(constraintsOf(t).Wider) > 0 }
	if len(errors) == 0 || !slices.ContainsFunc(targets, isWider) {
		return errors, warnings
	}
	left, _ := check(c, targets, func(t schema.Target) *schema.Constraints {
		widened := constraintsOf(t).Widened(schema.Account{Platform: t.Platform, ID: t.Account})
		return &widened
	})
	for i, d := range errors {
		if d.Platform != "" && !d.IsAmong(left) {
			errors[i].Message += "; with the workspace's limits set to platform it is taken"
		}
	}
	return errors, warnings
}

func check(c schema.Content, targets []schema.Target, constraintsOf func(schema.Target) *schema.Constraints) (errors, warnings []schema.Detail) {
	v := validation{content: c}
	v.shape()
	checked := make(map[ruleKey]rules, len(targets))
	plain := make(map[ruleKey]bool, len(targets)) // whether a target without a text of its own was checked
	var all []rules
	for i, target := range targets {
		platform := constraintsOf(schema.Target{Platform: target.Platform})
		key := ruleKeyOf(platform, target)
		if plain[key] && target.Content == "" && c.Thread == nil {
			continue // the same text and rules were checked already
		}
		constraints, isKnown := checked[key]
		if !isKnown {
			settings := c.Settings[target.Platform]
			constraints = rules{constraintsOf(target).With(settings), platform.With(settings)}
			checked[key], all = constraints, append(all, constraints)
			v.settings(*constraints.Constraints)
		}
		if c.Thread != nil && !constraints.Thread.Supported {
			v.fail(target.Platform, targetField(i), CodeThreadUnsupported, "threads cannot be published on %s", target.Platform)
			continue
		}
		for entry := range c.Entries {
			v.entry(constraints, target, i, entry)
		}
		if target.Content == "" {
			plain[key] = true
		}
	}
	v.otherSettings(targets, constraintsOf)
	v.firstComments(all)
	return v.errors, v.warnings
}

// rules are the constraints that one or more targets must meet.
type rules struct {
	*schema.Constraints
	platform *schema.Constraints // without those of an account
}

// ruleKey names rules: by the platform, or by the account where accounts have their own.
type ruleKey struct {
	platform schema.Platform
	account  schema.AccountID
}

func ruleKeyOf(platform *schema.Constraints, t schema.Target) ruleKey {
	if platform.Own == nil {
		return ruleKey{platform: t.Platform}
	}
	return ruleKey{t.Platform, t.Account}
}

// validation collects errors and warnings.
type validation struct {
	content          schema.Content
	errors, warnings []schema.Detail
	seen             map[schema.Detail]bool // since two accounts of one platform fail alike; nil while there are none
}

func (v *validation) fail(p schema.Platform, field, code, format string, args ...any) {
	v.add(&v.errors, schema.Detail{Field: field, Platform: platformName(p), Code: code, Message: fmt.Sprintf(format, args...)})
}

func (v *validation) warn(p schema.Platform, field, code, format string, args ...any) {
	v.add(&v.warnings, schema.Detail{Field: field, Platform: platformName(p), Code: code, Message: fmt.Sprintf(format, args...)})
}

func (v *validation) add(to *[]schema.Detail, d schema.Detail) {
	if v.seen[d] {
		return
	}
	if v.seen == nil {
		v.seen = make(map[schema.Detail]bool)
	}
	v.seen[d] = true
	*to = append(*to, d)
}

// platformName returns the name that a detail has: empty if it is about every platform.
func platformName(p schema.Platform) string {
	if p == 0 {
		return ""
	}
	return p.String()
}

// shape checks what does not depend on the platform.
func (v *validation) shape() {
	if n := len(v.content.Entries); v.content.Thread != nil && (n < schema.MinThreadEntries || n > schema.MaxThreadEntries) {
		v.fail(0, "posts", CodeThreadLength, "a thread has %d to %d posts, this one has %d", schema.MinThreadEntries, schema.MaxThreadEntries, n)
	}
	texts := 0
	for entry := range v.content.Entries {
		v.mediaShape(entry)
		texts += utf8.RuneCountInString(v.content.Entries[entry].Text)
	}
	if texts > schema.MaxTexts {
		v.fail(0, "content", CodeTextTooLong, "the texts of a post have at most %d characters together, not %d", schema.MaxTexts, texts)
	}
	for i, comment := range v.content.FirstComments {
		field := fmt.Sprintf("firstComments[%d]", i)
		if schema.IsBlank(comment.Text) {
			v.fail(0, field+".text", CodeFirstCommentEmpty, "a first comment needs a text")
		}
		if last := len(v.content.Entries) - 1; comment.Target < 0 || comment.Target > last {
			v.fail(0, field+".target", CodeFirstCommentTarget, "target is 0 to %d, not %d", last, comment.Target)
		}
	}
}

// settings checks the part of platformSettings that is the platform's.
func (v *validation) settings(c schema.Constraints) {
	details := checkSettings(c, v.content.Settings[c.Platform])
	if c.Together != nil && len(v.content.Entries) > 0 {
		details = append(details, c.Together(v.content.Entries[0], v.content.Settings[c.Platform])...)
	}
	for _, d := range details {
		v.setting(c.Platform, d)
	}
}

func (v *validation) setting(p schema.Platform, d schema.Detail) {
	d.Field = joinField("platformSettings."+p.String(), d.Field)
	d.Platform = p.String()
	if d.Code == CodeSettingUnknown || d.Code == CodeSettingPrivate {
		v.add(&v.warnings, d)
		return
	}
	v.add(&v.errors, d)
}

// otherSettings checks the settings of platforms that the content does not go to. They are
// stored and shown, so they must have the described form; but none of them is required.
func (v *validation) otherSettings(targets []schema.Target, constraintsOf func(schema.Target) *schema.Constraints) {
	for _, p := range slices.Sorted(maps.Keys(v.content.Settings)) {
		if slices.ContainsFunc(targets, func(t schema.Target) bool { return t.Platform == p }) {
			continue
		}
		for _, d := range checkSettings(*constraintsOf(schema.Target{Platform: p}), v.content.Settings[p]) {
			if d.Code != CodeSettingRequired || strings.ContainsAny(d.Field, ".[") {
				v.setting(p, d)
			}
		}
	}
}

// checkSettings checks a platform's settings. A platform without settings of its own has
// only the one that every platform has, content.
func checkSettings(c schema.Constraints, settings json.RawMessage) []schema.Detail {
	if c.Settings == nil {
		return SettingRules{}.Check(settings)
	}
	return c.Settings(settings)
}

// entry checks the text and the media that one target gets of an entry.
func (v *validation) entry(c rules, target schema.Target, i, entry int) {
	v.text(*c.Constraints, target, i, entry)
	v.media(c, entry)
}

// entryField returns the name of a field of an entry. Only those of a thread are under posts.
func (v *validation) entryField(entry int, field string) string {
	if v.content.Thread == nil {
		return field
	}
	return fmt.Sprintf("posts[%d].%s", entry, field)
}

func targetField(i int) string { return fmt.Sprintf("platforms[%d]", i) }
