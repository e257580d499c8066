package telegram

import (
	"regexp"
	"unicode/utf16"
)

// The limits of the Bot API (core.telegram.org/bots/api#sendmessage, #sendphoto,
// #sendmediagroup and #sending-files).
const (
	maxText       = 4096 // UTF-16 code units, as everywhere in the Bot API
	maxCaption    = 1024
	maxAlbum      = 10
	maxPhotoBytes = 10 << 20
	maxVideoBytes = 50 << 20
	maxSides      = 10_000 // pixels of a photo, its width and height together
	maxRatio      = 20     // of its sides
)

// The types of a photo and of a video that Telegram plays.
const (
	jpegType = "image/jpeg"
	pngType  = "image/png"
	mp4Type  = "video/mp4"
)

// The kinds of an InputMedia that are simulated: also the names of the fields of
// sendPhoto and sendVideo (core.telegram.org/bots/api#inputmedia).
const (
	photo = "photo"
	video = "video"
)

// longIDPrefix marks the ids of supergroups and channels.
const longIDPrefix = "-100"

// tokenPattern is what the token of a bot looks like: its id, a colon and its secret
// (core.telegram.org/bots/api#authorizing-your-bot).
var tokenPattern = regexp.MustCompile(`^\d+:[\w-]+$`)

// inputMedia is what is read of an InputMedia.
type inputMedia struct {
	Type      string `json:"type"`
	Media     string `json:"media"` // attach:// and the name of its part
	Caption   string `json:"caption"`
	ParseMode string `json:"parse_mode"`
}

// length is how long Telegram takes a text for: its UTF-16 code units.
func length(text string) int { return len(utf16.Encode([]rune(text))) }
