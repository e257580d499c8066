package mastodon

import "net/http"

// simulatedVersion is the Mastodon whose answers the simulator gives.
const simulatedVersion = "4.5.0"

type object = map[string]any

// instance describes the server and its limits (docs.joinmastodon.org/entities/Instance).
func (s *simulator) instance(rw http.ResponseWriter, r *http.Request) {
	base, version, source := s.world.BaseURL(), simulatedVersion, "https://github.com/mastodon/mastodon"
	switch software := softwareOf(r); {
	case software.isGoToSocial():
		version, source = "0.20.0", "https://codeberg.org/superseriousbusiness/gotosocial"
	case software == pixelfed:
		version, source = "3.5.3 (compatible; Pixelfed 0.12.5)", "https://github.com/pixelfed/pixelfed"
	}
	answer(rw, http.StatusOK, object{
		"domain": hostOf(base), "title": "crier sandbox", "version": version,
		"source_url":    source,
		"description":   "A Mastodon server in small, for tests",
		"usage":         object{"users": object{"active_month": 0}},
		"thumbnail":     object{"url": base + "/thumbnail.png"},
		"icon":          []object{},
		"languages":     []string{"en"},
		"configuration": s.configuration(base, softwareOf(r)),
		"registrations": object{"enabled": false, "approval_required": false},
		"api_versions":  object{"mastodon": 7},
		"contact":       object{"email": "contact@sandbox.example", "account": nil},
		"rules":         []object{},
	})
}

func (s *simulator) configuration(base string, on software) object {
	a := s.takes()
	if on.isGoToSocial() {
		a.Address = 25 // as it says; it counts every address in full
	}
	return object{
		"urls":     object{"about": base + "/about"},
		"accounts": object{"max_featured_tags": 10, "max_pinned_statuses": 5},
		"statuses": object{
			"max_characters": a.Text, "max_media_attachments": a.Media, "characters_reserved_per_url": a.Address,
		},
		"media_attachments": object{
			"supported_mime_types": a.Types,
			"description_limit":    a.AltText,
			"image_size_limit":     a.ImageBytes, "image_matrix_limit": 33177600,
			"video_size_limit": a.VideoBytes, "video_matrix_limit": 8294400, "video_frame_rate_limit": 120,
		},
		"polls": object{
			"max_options": a.PollOptions, "max_characters_per_option": a.PollOption,
			"min_expiration": a.ShortestPoll, "max_expiration": a.LongestPoll,
		},
		"translation": object{"enabled": false},
	}
}
