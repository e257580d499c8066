package posts

import (
	"crier/gateway/body"
	"crier/schema/spelling"
	"crier/schema/validation"
)

// refuseLostAudience fails fields of a post, or of one of its platforms, that are not known and that
// may say who sees the post. To ignore them, as others, would show it to more people than were meant.
func refuseLostAudience(f *body.Form) {
	for _, name := range f.Unread() {
		switch {
		case spelling.Nearest(name, []string{"platformSettings"}) != "":
			f.FailUnknown(name, "this field is not known; did you mean platformSettings?")
		case validation.NamesAudience(name):
			f.FailUnknown(name, "this field is not known; who sees a post is a setting of a platform: platformSettings.mastodon.visibility, for example")
		}
	}
}
