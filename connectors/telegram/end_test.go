package telegram_test

import (
	"errors"
	"net/http"
	"testing"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// What a bot may do in its chat is found out before its first post, as far as the server
// tells.
func TestCheckTellsWhetherTheBotMayPost(t *testing.T) {
	fault := func(status int, body string) simulation.Fault {
		return simulation.Fault{Operation: "getChatMember", Status: status, Body: body}
	}
	member := func(fields string) simulation.Fault {
		return fault(http.StatusOK, `{"ok":true,"result":{`+fields+`}}`)
	}
	for name, tt := range map[string]struct {
		chat  string
		fault simulation.Fault
		may   bool
	}{
		"an administrator who may post":        {channel, member(`"status":"administrator","can_post_messages":true`), true},
		"an administrator who may not":         {channel, member(`"status":"administrator","can_post_messages":false`), false},
		"a subscriber of a channel":            {channel, member(`"status":"member"`), false},
		"a bot that left":                      {channel, member(`"status":"left"`), false},
		"a bot that was kicked":                {channel, member(`"status":"kicked"`), false},
		"a member of a group":                  {"-4242", member(`"status":"member"`), true},
		"a member of a group who is muted":     {"-4242", member(`"status":"restricted","is_member":true,"can_send_messages":false`), false},
		"a member of a group who is not":       {"-4242", member(`"status":"restricted","is_member":true,"can_send_messages":true`), true},
		"a refusal to tell":                    {channel, fault(400, `{"ok":false,"error_code":400,"description":"Bad Request: member list is inaccessible"}`), false},
		"a server that does not know of it":    {channel, fault(404, `{"ok":false,"error_code":404,"description":"Not Found"}`), true},
		"a server that takes any method":       {channel, fault(http.StatusOK, `{"ok":true,"result":true}`), true},
		"a person, who is not asked of at all": {"4242", fault(500, ``), true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			if err := s.world.Inject(tt.fault); err != nil {
				t.Fatal(err)
			}
			_, err := s.connector.Check(t.Context(), schema.Account{}, schema.Credentials{BotToken: token, ChatID: tt.chat})
			e, refused := errors.AsType[*schema.Error](err)
			if tt.may && err != nil || !tt.may && (!refused || e.Kind != schema.TokenDead || e.End != schema.EndRemoved || e.Message == "") {
				t.Errorf("Check = %v, want it to pass: %t", err, tt.may)
			}
		})
	}
}

// A group may let its members send nothing: its bot is looked at again and again then, and
// must not seem to work each time.
func TestAGroupThatLetsItsMembersSendNothing(t *testing.T) {
	s := newStage(t)
	for _, fault := range []simulation.Fault{
		{Operation: "getChat", Status: http.StatusOK, Body: `{"ok":true,"result":{"id":-4242,"type":"supergroup","title":"g","permissions":{"can_send_messages":false}}}`},
		{Operation: "getChatMember", Status: http.StatusOK, Body: `{"ok":true,"result":{"status":"member"}}`},
	} {
		if err := s.world.Inject(fault); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.connector.Check(t.Context(), schema.Account{}, schema.Credentials{BotToken: token, ChatID: "-4242"})
	e, refused := errors.AsType[*schema.Error](err)
	if !refused || e.End != schema.EndRemoved {
		t.Errorf("Check = %v, want the end of the account", err)
	}
}
