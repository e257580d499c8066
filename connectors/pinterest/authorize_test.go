package pinterest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

func TestBoardsAndTheirSectionsCanBeChosen(t *testing.T) {
	r := newRig(t)
	person := own(0)
	person.EntityID = ""
	entities, err := r.Entities(t.Context(), schema.Account{}, person)
	if err != nil {
		t.Fatal(err)
	}
	board, section := breadSection()
	var got []string
	for _, e := range entities {
		got = append(got, e.Kind+" "+e.ID)
		if e.Credentials.EntityID != e.ID || e.Credentials.AccessToken != token || e.Credentials.RefreshToken == "" {
			t.Errorf("entity %s has other credentials", e.ID)
		}
		profile, err := r.Check(t.Context(), schema.Account{}, e.Credentials)
		if err != nil || profile.NativeID != e.ID || profile.Name != e.Name {
			t.Errorf("entity %s (%s) is checked as %+v, %v", e.ID, e.Name, profile, err)
		}
	}
	want := []string{"board " + own(0).EntityID, "board " + board, "section " + board + "/" + section, "section " + board + "/22" + board[1:]}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("entities %v, want %v", got, want)
	}
}

// More boards than a person is shown are not asked for their sections, nor is a list read that
// never ends.
func TestManyBoards(t *testing.T) {
	var boards []string
	for i := range pageSize {
		boards = append(boards, fmt.Sprintf(`{"id":"%d","name":"n"}`, i))
	}
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: callBoards, Status: http.StatusOK, Times: 50, Body: `{"items":[` + strings.Join(boards, ",") + `],"bookmark":"more"}`})
	r.Inject(t, simulation.Fault{Operation: "GET /v5/boards/{board}/sections", Status: http.StatusOK, Times: 1000, Body: `{"items":[]}`})
	entities, err := r.Entities(t.Context(), schema.Account{}, own(0))
	if err != nil || len(entities) != connectors.MaxEntities {
		t.Errorf("%d entities, %v", len(entities), err)
	}
	if lists, sections := r.World.Calls(callBoards), r.World.Calls("GET /v5/boards/{board}/sections"); lists != maxLists || sections != sectionedBoards {
		t.Errorf("%d lists of boards and %d of sections", lists, sections)
	}
}

func TestTheBoardIsChecked(t *testing.T) {
	board, section := breadSection()
	for name, tt := range map[string]struct {
		entity string
		kind   schema.ErrorKind // zero: it is there
		end    schema.End
	}{
		"a board":                     {board, 0, schema.NotEnded},
		"a section":                   {board + "/" + section, 0, schema.NotEnded},
		"none":                        {"", schema.Refused, schema.NotEnded},
		"a name":                      {"garden", schema.Refused, schema.NotEnded},
		"a section without a number":  {board + "/", schema.Refused, schema.NotEnded},
		"a board that is not there":   {"7", schema.TokenDead, schema.EndRemoved},
		"a section that is not there": {board + "/7", schema.TokenDead, schema.EndRemoved},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			credentials := own(0)
			credentials.EntityID = tt.entity
			profile, err := r.Check(t.Context(), schema.Account{}, credentials)
			if tt.kind == 0 {
				if err != nil || profile.NativeID != tt.entity || profile.Name == "" {
					t.Errorf("Check = %+v, %v", profile, err)
				}
				return
			}
			if e := connectortest.WantKind(t, err, tt.kind); e.End != tt.end {
				t.Errorf("end %v, want %v", e.End, tt.end)
			}
		})
	}
}

func TestTokensAreTraded(t *testing.T) {
	r := newRig(t)
	old := own(0)
	old.Scope = "some"
	traded, err := r.Refresh(t.Context(), schema.Account{}, old)
	if err != nil {
		t.Fatal(err)
	}
	if traded.AccessToken == old.AccessToken || traded.RefreshToken == "" || traded.EntityID != old.EntityID || traded.Scope == "some" ||
		!traded.ExpiresAt.Equal(r.Clock().Add(30*24*time.Hour)) || !traded.RefreshExpiresAt.Equal(r.Clock().Add(60*24*time.Hour)) {
		t.Error("the tokens are not those that Pinterest answered with")
	}
	if _, err := r.Check(t.Context(), schema.Account{}, traded); err != nil {
		t.Errorf("Check of the new token: %v", err)
	}
}

// What becomes of a refresh that does not work.
func TestARefreshThatFails(t *testing.T) {
	for name, tt := range map[string]struct {
		fault simulation.Fault
		want  schema.ErrorKind
	}{
		"the answer was lost":       {simulation.Fault{Lose: true}, schema.Unknown},
		"it never arrived":          {simulation.Fault{Refuse: true}, schema.Unknown},
		"an outage":                 {simulation.Fault{Status: 503}, schema.Unknown},
		"no token in the answer":    {simulation.Fault{Status: 200, Body: `{}`}, schema.Unknown},
		"the access token works":    {simulation.Fault{Status: 400, Body: `{"code":1,"message":"Invalid request"}`}, schema.Retryable},
		"the app's secret is wrong": {simulation.Fault{Status: 401, Body: `{"code":2,"message":"Authentication failed."}`}, schema.Retryable},
		"a proxy's page":            {simulation.Fault{Status: 400, Body: `<html>`}, schema.Retryable},
		"too many calls":            {simulation.Fault{Status: 429, Body: `{"code":8,"message":"slower"}`}, schema.RateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			tt.fault.Operation = callToken
			r.Inject(t, tt.fault)
			_, err := r.Refresh(t.Context(), schema.Account{}, own(0))
			connectortest.WantKind(t, err, tt.want)
		})
	}
}

// A refusal ends an account only where its access token is none any more: it may be of anything.
func TestARefreshThatIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		look simulation.Fault
		want schema.ErrorKind
		end  schema.End
	}{
		"the access token is dead":    {simulation.Fault{Status: 401, Body: `{"code":2,"message":"Authentication failed."}`}, schema.TokenDead, schema.NotEnded},
		"the board is gone":           {simulation.Fault{Status: 404, Body: `{"code":40,"message":"Board not found."}`}, schema.TokenDead, schema.EndRemoved},
		"nobody can tell":             {simulation.Fault{Status: 503}, schema.Retryable, schema.NotEnded},
		"too many ask for the answer": {simulation.Fault{Status: 429, Body: `{"code":8,"message":"slower"}`}, schema.Retryable, schema.NotEnded},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.Inject(t, simulation.Fault{Operation: callToken, Status: 400, Body: `{"code":1,"message":"Invalid request"}`})
			tt.look.Operation = "GET /v5/boards/{board}"
			r.Inject(t, tt.look)
			_, err := r.Refresh(t.Context(), schema.Account{}, own(0))
			if e := connectortest.WantKind(t, err, tt.want); e.End != tt.end {
				t.Errorf("the end is %v, want %v", e.End, tt.end)
			}
		})
	}
}

func TestAWrongSecretIsTold(t *testing.T) {
	r := newRig(t)
	r.App.Secret = "another"
	_, err := r.Exchange(t.Context(), schema.Account{}, connectors.Grant{Callback: "http://x", Code: "y"})
	if e := connectortest.WantKind(t, err, schema.Retryable); !strings.Contains(e.Message, "own app") {
		t.Errorf("message %q", e.Message)
	}
	r.App = connectors.App{}
	_, err = r.Refresh(t.Context(), schema.Account{}, own(0))
	connectortest.WantKind(t, err, schema.Refused)
}
