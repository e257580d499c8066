// Package telegram publishes to Telegram channels and groups through the Bot API
// (core.telegram.org/bots/api). Package simulator is it in small.
//
//	Prepare   opens the media and checks what Telegram would refuse
//	Publish   one call: sendMessage, sendPhoto, sendVideo or sendMediaGroup, with the
//	          bytes of the media, streamed
//	Find      cannot tell: a bot reads no history
//	Comment   refused: there are no comments of a bot's own on a post
//
// Media goes as bytes, not by url: Telegram fetches photos of at most 5 MB and videos of
// at most 20 MB itself, half and less of what an upload may have, and an upload fails
// for reasons of ours, before it is visible, rather than of a third server's.
//
// The bot's token is a part of every address. It is named as a secret of each call, so
// that no error and no log shows it.
package telegram
