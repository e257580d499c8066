// Package tiktok is TikTok in small: Login Kit and the part of the Content Posting API that
// publishes videos from bytes (developers.tiktok.com/doc: oauth-user-access-token-management,
// content-posting-api-reference-direct-post, -media-transfer-guide, -get-video-status). It
// follows the documents, not the connector.
//
// A name or a token that begins with "private-" is of a private account, whose followers alone
// may be posted to; one with "unaudited-" is of an app that TikTok has not audited, which
// publishes for the accounts themselves alone, and with "unaudited-public-" for no one: the account
// is not private.
package tiktok
