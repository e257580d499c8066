package connectortest

import "crier/schema"

// AccountEnd is one way an account ends, with what each platform answers to a post of it
// then.
type AccountEnd struct {
	Cause   string // as the simulators call it
	Answers map[schema.Platform]EndAnswer
}

// EndAnswer is how a platform refuses a post, in part, and what that is taken for. End is
// NotEnded where only a check finds out: it is EndRevoked or EndScope then, which mean the same to users.
type EndAnswer struct {
	Says string
	End  schema.End
}

// AccountEnds returns every way an account ends; schema.End says of each whether a reconnect
// helps, what code its posts fail with and whether it is looked at again. A platform that is
// not there has no such end, or answers as to another: a password that was changed ends the
// tokens of a mastodon account, and the app passwords of a bluesky account live on.
//
// Its posts stop at once, the account is told of once by account.error, and a reconnect
// undoes it.
func AccountEnds() []AccountEnd {
	const mastodon, bluesky, telegram, twitter = schema.Mastodon, schema.Bluesky, schema.Telegram, schema.Twitter
	const instagram, threads, facebook, linkedin = schema.Instagram, schema.Threads, schema.Facebook, schema.LinkedIn
	const youtube = schema.YouTube
	const pinterest = schema.Pinterest
	const googleBusiness = schema.GoogleBusiness
	const tiktok = schema.TikTok
	return []AccountEnd{
		{"suspended", map[schema.Platform]EndAnswer{
			mastodon: {"Your login is currently disabled", schema.EndSuspended},
			bluesky:  {"Account has been taken down", schema.EndSuspended},
			twitter:  {"is suspended", schema.EndSuspended},
			youtube:  {"is suspended", schema.EndSuspended},
			tiktok:   {"banned from making new posts", schema.EndSuspended},
		}},
		{"deactivated", map[schema.Platform]EndAnswer{
			bluesky:   {"Account is deactivated", schema.EndDeactivated},
			telegram:  {"user is deactivated", schema.EndDeleted},
			instagram: {"cannot access the app till you log in", schema.EndDeactivated},
			threads:   {"cannot access the app till you log in", schema.EndDeactivated},
			twitter:   {"temporarily locked", schema.EndDeactivated},
			facebook:  {"You cannot access the app till you log in", schema.EndDeactivated},
		}},
		{"deleted", map[schema.Platform]EndAnswer{
			mastodon: {"no such account", schema.EndDeleted}, // a 404 or a 410
			bluesky:  {"Account not found", schema.EndDeleted},
			youtube:  {"of the authenticated user is closed", schema.EndDeleted},

			googleBusiness: {"Requested entity was not found", schema.EndDeleted}, // the location
		}},
		{"password-changed", map[schema.Platform]EndAnswer{
			mastodon:  {"access token was revoked", schema.NotEnded},
			bluesky:   {"Invalid identifier or password", schema.NotEnded},
			instagram: {"the user changed their password", schema.NotEnded},
			threads:   {"the user changed their password", schema.NotEnded},
			facebook:  {"the user changed their password", schema.NotEnded},
			pinterest: {"Authentication failed", schema.NotEnded},
		}},
		{"revoked", map[schema.Platform]EndAnswer{
			mastodon:  {"access token was revoked", schema.NotEnded},
			bluesky:   {"Invalid identifier or password", schema.NotEnded}, // of the login that follows
			telegram:  {"Unauthorized", schema.NotEnded},
			instagram: {"has not authorized application", schema.NotEnded},
			threads:   {"has not authorized application", schema.NotEnded},
			twitter:   {"Unauthorized", schema.NotEnded},
			linkedin:  {"has been revoked by the user", schema.NotEnded},
			tiktok:    {"access token is invalid", schema.NotEnded},
			facebook:  {"has not authorized application", schema.NotEnded},
			youtube:   {"invalid authentication credentials", schema.NotEnded},
			pinterest: {"Authentication failed", schema.NotEnded},

			googleBusiness: {"invalid authentication credentials", schema.NotEnded},
		}},
		{"scope-withdrawn", map[schema.Platform]EndAnswer{
			mastodon:  {"outside the authorized scopes", schema.EndScope},
			bluesky:   {"Bad token scope", schema.EndScope},
			telegram:  {"need administrator rights", schema.EndRemoved},
			instagram: {"does not have permission for this action", schema.NotEnded}, // which may be of an incident
			threads:   {"does not have permission for this action", schema.NotEnded},
			linkedin:  {"Not enough permissions", schema.EndScope},
			tiktok:    {"did not authorize the scope", schema.EndScope},
			facebook:  {"requires both pages_read_engagement and pages_manage_posts", schema.NotEnded},
			youtube:   {"insufficient authentication scopes", schema.EndScope},
			pinterest: {"does not have sufficient permissions", schema.EndScope},

			googleBusiness: {"insufficient authentication scopes", schema.EndScope},
		}},
		{"kicked", map[schema.Platform]EndAnswer{telegram: {"bot was kicked from the channel chat", schema.EndRemoved}}},
		{"not-a-member", map[schema.Platform]EndAnswer{
			telegram:       {"bot is not a member", schema.EndRemoved},
			googleBusiness: {"The caller does not have permission", schema.NotEnded}, // somebody no longer manages the location
		}},
		{"chat-deleted", map[schema.Platform]EndAnswer{telegram: {"chat not found", schema.EndRemoved}}},
		{"board-deleted", map[schema.Platform]EndAnswer{pinterest: {"Board not found", schema.EndRemoved}}},
	}
}
