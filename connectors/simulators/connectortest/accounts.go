package connectortest

import (
	"errors"
	"strings"
	"testing"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// endingAccounts is what a connector makes of an account that its platform serves no more.
func endingAccounts() []clause {
	return []clause{
		{"every end of an account is told apart, and undone", nil, endsAreToldApart},
		{"an end that a text asks for is the platform's", nil, markedEnds},
	}
}

func endsAreToldApart(t *testing.T, s *stage) {
	published := 0
	s.eachEnd(t, func(t *testing.T, cause string, want EndAnswer) {
		s.publish(t, s.delivery("until it is "+cause))
		s.end(t, cause)
		for range 2 { // the second meets what the first has made the connector remember
			_, err := s.try(t, s.delivery("of an account that has ended"))
			wantEnd(t, err, want.End, want.Says)
		}
		if want.End.Traits().Passes || want.End == schema.NotEnded {
			_, err := s.verify(t, s.account, s.fixture.Credentials(0))
			found := want.End
			if e, ok := errors.AsType[*schema.Error](err); ok && found == schema.NotEnded && e.End == schema.EndScope {
				found = e.End
			}
			wantEnd(t, err, found, "")
		}
		s.posts(t, published+1)
		s.end(t, "")
		if _, err := s.verify(t, s.account, s.fixture.Credentials(0)); err != nil {
			t.Fatalf("Check of the account that works again: %v", err)
		}
		s.publish(t, s.delivery("back after it was "+cause))
		published += 2
	})
}

func markedEnds(t *testing.T, s *stage) {
	s.eachEnd(t, func(t *testing.T, cause string, want EndAnswer) {
		_, err := s.try(t, s.delivery("[crier:account-"+cause+"]"))
		wantEnd(t, err, want.End, "")
	})
	s.posts(t, 0)
	s.publish(t, s.delivery("the account itself goes on"))
}

// eachEnd goes through the ends that the platform has, each on a connector that has just
// started.
func (s *stage) eachEnd(t *testing.T, run func(*testing.T, string, EndAnswer)) {
	t.Helper()
	met := 0
	for _, end := range AccountEnds() {
		want, has := end.Answers[s.fixture.Constraints.Platform]
		if !has {
			continue
		}
		met++
		t.Run(end.Cause, func(t *testing.T) {
			s.restart()
			run(t, end.Cause, want)
		})
	}
	if met == 0 {
		t.Error("the table of ends does not know the platform")
	}
}

// end ends the account on its platform, or takes its end back.
func (s *stage) end(t *testing.T, cause string) {
	t.Helper()
	if err := s.world.End(s.account.NativeID, simulation.End(cause)); err != nil {
		t.Fatal(err)
	}
}

func wantEnd(t *testing.T, err error, want schema.End, says string) {
	t.Helper()
	e := wantKind(t, err, schema.TokenDead)
	if e.End != want || !strings.Contains(e.Message, says) {
		t.Errorf("%q is taken for the end %q, want %q of a text with %q", e.Message, e.End, want, says)
	}
}

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
