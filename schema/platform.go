package schema

import "fmt"

// Platform is one of the 12 platforms. Its number is stored: it never changes.
type Platform int16

// The platforms.
const (
	Twitter Platform = iota + 1
	Instagram
	Facebook
	LinkedIn
	TikTok
	Threads
	Bluesky
	YouTube
	Pinterest
	Telegram
	Mastodon
	GoogleBusiness
)

var platformNames = [...]string{
	Twitter: "twitter", Instagram: "instagram", Facebook: "facebook", LinkedIn: "linkedin",
	TikTok: "tiktok", Threads: "threads", Bluesky: "bluesky", YouTube: "youtube",
	Pinterest: "pinterest", Telegram: "telegram", Mastodon: "mastodon", GoogleBusiness: "google-business",
}

// Platforms returns all platforms, in the order of their numbers.
func Platforms() []Platform {
	all := make([]Platform, 0, len(platformNames)-1)
	for p := Twitter; int(p) < len(platformNames); p++ {
		all = append(all, p)
	}
	return all
}

// ParsePlatform returns the platform of that name.
func ParsePlatform(name string) (Platform, error) {
	for _, p := range Platforms() {
		if platformNames[p] == name {
			return p, nil
		}
	}
	return 0, fmt.Errorf("%q is no platform", name)
}

// String returns the platform's name in the API.
func (p Platform) String() string {
	if p < Twitter || int(p) >= len(platformNames) {
		return fmt.Sprintf("platform(%d)", int16(p))
	}
	return platformNames[p]
}

// MarshalText makes the platform its name in JSON, as a value and as a key.
func (p Platform) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads a platform's name.
func (p *Platform) UnmarshalText(text []byte) error {
	parsed, err := ParsePlatform(string(text))
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}
