package telegram

import (
	"fmt"
	"net/http"
	"strings"

	"crier/connectors/simulators/simulation"
)

// markAlbumLimit has all items of an album sent but the last, which meets a rate limit: the call is
// answered with that alone.
const markAlbumLimit = "[crier:album-rate-limit]"

// settled returns what is sent of a message's media, and how the call is answered where that is not all
// of it; nil: it is. Telegram settles each item of an album by itself, and one that fails makes an error
// of the whole call (tdlib/telegram-bot-api Client.cpp, on_message_send_failed; rubenlagus/TelegramBots
// #1520).
func settled(text string, media []simulation.Media) (sent []simulation.Media, failed func(http.ResponseWriter)) {
	if len(media) < 2 {
		return media, nil
	}
	last := len(media) - 1
	switch {
	case simulation.IsPartial(text):
		return media[:last], func(rw http.ResponseWriter) {
			refuse(rw, http.StatusBadRequest, ofItem(last, fmt.Sprintf("Too Many Requests: retry after %d", forcedWait)))
		}
	case strings.Contains(text, markAlbumLimit):
		return media[:last], func(rw http.ResponseWriter) { tooMany(rw, forcedWait) }
	default:
		return media, nil
	}
}

// ofItem words the error of an item of an album.
func ofItem(item int, problem string) string {
	return fmt.Sprintf("Bad Request: failed to send message #%d with the error message %q", item+1, problem)
}
