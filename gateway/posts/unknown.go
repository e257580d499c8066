package posts

import (
	"encoding/json"
	"slices"

	"crier/gateway/body"
	"crier/schema"
	"crier/schema/spelling"
	"crier/schema/validation"
)

// otherWords are what other APIs call the fields of a post, in folded form, with what may be meant.
var otherWords = func() map[string][]string {
	words := map[string][]string{}
	for _, w := range []struct{ meant, called []string }{
		{[]string{"mediaItems"}, []string{
			"media", "medium", "mediaid", "mediaids", "mediaurl", "mediaurls", "image", "images", "imageurl", "imageurls", "picture", "pictures",
			"photo", "photos", "video", "videos", "videourl", "attachment", "attachments", "file", "files",
		}},
		{[]string{"content"}, []string{"text", "message", "body", "caption", "contentoverride"}},
		{[]string{"firstComments", "firstComment"}, []string{"comment", "comments"}},
		{[]string{"accountId", "platforms"}, []string{"account", "accounts", "accountid", "accountids"}},
		{[]string{"accountId", "mediaId"}, []string{"id"}},
		{[]string{"scheduledFor"}, []string{"date", "datetime", "time", "when", "publishat", "sendat", "scheduledat", "scheduleat", "scheduledate"}},
		{[]string{"timezone"}, []string{"tz", "zone"}},
		{[]string{"status"}, []string{"draft", "isdraft"}},
		{[]string{"altText"}, []string{"alt", "alternativetext"}},
	} {
		for _, called := range w.called {
			words[called] = w.meant
		}
	}
	return words
}()

// judge says of fields that are not known why they must not be ignored, as others are: without them, the
// post would go out with other content, at another time or to other people than were meant.
func (p *posts) judge(f *body.Form) func(unknown body.Member) string {
	j := judgement{posts: p, known: f.Known(), platforms: platformsNamed(f)}
	return j.of
}

// judgement is what fields of a form are judged by that are not known.
type judgement struct {
	*posts
	known     []string
	platforms []schema.Platform // that the form names
}

func (j judgement) of(unknown body.Member) string {
	name := unknown.Name
	if meant := meantField(j.known, name); meant != "" {
		return "did you mean " + meant + "?"
	}
	platform := body.MeantPlatform(name)
	switch {
	case spelling.Nearest(name, []string{"dryRun", "validateOnly"}) != "":
		return "POST /posts/validate checks a post without creating it"
	case spelling.Nearest(name, []string{"platformSettings"}) != "":
		return "settings stand in the platformSettings of the whole post, by platform: " + settingName(j.platforms, "…")
	case platform != "" && unknown.Value.Kind == body.Object:
		return "the settings of a platform stand in platformSettings." + platform
	case j.isSetting(name):
		return "this is a setting of a platform: " + settingName(j.platforms, name)
	case namesAudience(unknown):
		return "who sees a post is a setting of a platform: platformSettings.mastodon.visibility, for example"
	}
	return ""
}

// meantField returns which of the known fields is meant by one that is none; empty where that is none, or
// one of the sender's own that changes nothing of what goes out.
func meantField(known []string, name string) string {
	for _, meant := range otherWords[spelling.Fold(name)] {
		if slices.Contains(known, meant) {
			return meant
		}
	}
	if meant := spelling.Nearest(name, known); meant != "metadata" && meant != "externalId" {
		return meant
	}
	return ""
}

// isSetting reports whether a field of a post, or of one of its platforms, is called as a setting of a
// platform that the post goes to.
func (j judgement) isSetting(name string) bool {
	object, err := json.Marshal(map[string]any{name: nil})
	if err != nil || !slices.Contains(j.known, "content") {
		return false
	}
	return slices.ContainsFunc(j.platforms, func(platform schema.Platform) bool {
		check := j.Constraints(platform).Settings
		return check != nil && slices.ContainsFunc(check(object), func(d schema.Detail) bool {
			return d.Field == name && d.Code == validation.CodeSettingInvalid // known, and no setting is null
		})
	})
}

// settingName is how a setting is named, of the first of the platforms that a form names.
func settingName(named []schema.Platform, setting string) string {
	platform := schema.Mastodon
	if len(named) > 0 {
		platform = named[0]
	}
	return "platformSettings." + platform.String() + "." + setting
}

// platformsNamed returns the platforms that a form of a post, or of one of its platforms, names, each once.
func platformsNamed(f *body.Form) (named []schema.Platform) {
	add := func(v body.Value) {
		if platform, err := schema.ParsePlatform(v.Text); err == nil && !slices.Contains(named, platform) {
			named = append(named, platform)
		}
	}
	for _, m := range f.Object.Members {
		switch m.Name {
		case "platform":
			add(m.Value)
		case "platforms":
			for _, item := range m.Value.Items {
				add(item)
				for _, inner := range item.Members {
					if inner.Name == "platform" {
						add(inner.Value)
					}
				}
			}
		}
	}
	return named
}

// namesAudience reports whether a field, or one inside of it, is called as one that says who sees a post.
func namesAudience(m body.Member) bool {
	return validation.NamesAudience(m.Name) || holdsAudience(m.Value)
}

func holdsAudience(v body.Value) bool {
	return slices.ContainsFunc(v.Members, namesAudience) || slices.ContainsFunc(v.Items, holdsAudience)
}
