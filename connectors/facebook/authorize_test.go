package facebook

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

const pageLists = "GET /{version}/me/accounts"

// person is one with pages.
func person() schema.Credentials { return schema.Credentials{AccessToken: "user-ada", Scope: "some"} }

func TestPagesThatMayNotBePublishedOnAreLeftOut(t *testing.T) {
	r := newRig(t)
	entities, err := r.Entities(t.Context(), schema.Account{}, person())
	if err != nil || len(entities) != 2 {
		t.Fatalf("Entities = %v, %v", entities, err)
	}
	for _, e := range entities {
		if e.Credentials.AccessToken == person().AccessToken || e.Credentials.Scope != "some" || !e.Credentials.ExpiresAt.IsZero() {
			t.Errorf("page %s has not a token of its own", e.ID)
		}
	}
}

// Pages that are held through a portfolio are not in the person's own list, also with business_management
// granted (openpost #216 and #217, TryPost #292 and #301, on a live account).
func TestPagesOfPortfoliosAreShown(t *testing.T) {
	const businesses = "GET /{version}/me/businesses"
	withBusiness := person()
	withBusiness.Scope = "pages_show_list,business_management"
	for name, tt := range map[string]struct {
		person schema.Credentials
		fault  *simulation.Fault
		want   int
	}{
		"with the permission":        {withBusiness, nil, 4},
		"without it":                 {person(), nil, 2},
		"where they are not told":    {withBusiness, &simulation.Fault{Operation: businesses, Status: 400, Body: `{"error":{"message":"m","code":100}}`}, 2},
		"where one is not permitted": {withBusiness, &simulation.Fault{Operation: "GET /{version}/{node}/owned_pages", Status: 403, Body: `{"error":{"message":"m","code":200}}`}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			if tt.fault != nil {
				r.Inject(t, *tt.fault)
			}
			entities, err := r.Entities(t.Context(), schema.Account{}, tt.person)
			ids := map[string]bool{}
			for _, e := range entities {
				ids[e.ID] = true
			}
			if err != nil || len(entities) != tt.want || len(ids) != tt.want {
				t.Errorf("%d pages, %d of them different, %v; want %d", len(entities), len(ids), err, tt.want)
			}
		})
	}
	t.Run("that come without a token", func(t *testing.T) {
		r := newRig(t)
		r.Inject(t, simulation.Fault{Operation: pageLists, Status: http.StatusOK, Body: `{"data":[{"id":"1","name":"Acme","tasks":["CREATE_CONTENT"]}]}`})
		_, err := r.Entities(t.Context(), schema.Account{}, person())
		if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, "no token for Acme") {
			t.Errorf("message %q", e.Message)
		}
	})
}

func TestTheListOfPagesIsRead(t *testing.T) {
	page := func(id, tasks string) string {
		return `{"id":"` + id + `","name":"n","access_token":"t` + id + `","tasks":[` + tasks + `]}`
	}
	for name, tt := range map[string]struct {
		body string
		want int // pages; negative: none can be known
	}{
		"in parts":                   {`{"data":[` + page("1", `"CREATE_CONTENT"`) + `],"paging":{"cursors":{"after":"1"},"next":"x"}}`, 2},
		"in one part":                {`{"data":[` + page("1", `"CREATE_CONTENT","MANAGE"`) + `],"paging":{"cursors":{"after":"1"}}}`, 1},
		"with a page without a task": {`{"data":[` + page("1", "") + `]}`, 0},
		"with a page without an id":  {`{"data":[` + page("", `"CREATE_CONTENT"`) + `]}`, 0},
		"of nothing":                 {`{"data":[]}`, 0},
		"that is none":               {`{}`, -1},
		"of more than are shown":     {`{"data":[` + strings.Repeat(page("1", `"CREATE_CONTENT"`)+",", 200) + page("2", `"CREATE_CONTENT"`) + `]}`, 200},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.Inject(t, simulation.Fault{Operation: pageLists, Status: http.StatusOK, Body: tt.body})
			entities, err := r.Entities(t.Context(), schema.Account{}, person())
			if (err != nil) != (tt.want < 0) || err == nil && len(entities) != tt.want {
				t.Errorf("%d pages, %v; want %d", len(entities), err, tt.want)
			}
		})
	}
}

// A list that never ends is read no further than is of use.
func TestAnEndlessListOfPagesEnds(t *testing.T) {
	r := newRig(t)
	r.Inject(t, simulation.Fault{Operation: pageLists, Status: http.StatusOK, Times: 50, Body: `{"data":[],"paging":{"cursors":{"after":"1"},"next":"x"}}`})
	if _, err := r.Entities(t.Context(), schema.Account{}, person()); err != nil || r.World.Calls(pageLists) != maxPageLists {
		t.Errorf("%d lists, %v", r.World.Calls(pageLists), err)
	}
}

func TestAWrongSecretIsNoPassingError(t *testing.T) {
	r := newRig(t)
	r.consent.App = connectors.App{ID: simulation.AppID, Secret: "another"}
	_, err := r.Exchange(t.Context(), schema.Account{}, connectors.Grant{Callback: "http://x", Code: "y"})
	if e := connectortest.WantKind(t, err, schema.Refused); !strings.Contains(e.Message, "client secret") {
		t.Errorf("message %q", e.Message)
	}
}

// What Meta has signed long ago says nothing about what a person has connected since.
func TestASignedRequestGrowsOld(t *testing.T) {
	r := newRig(t)
	signed := r.World.SignedRequest("user-ada")
	r.Pass(24 * time.Hour) // Meta may have to send it again
	if person, err := r.PersonOf(signed); err != nil || person == "" {
		t.Fatalf("PersonOf = %q, %v", person, err)
	}
	r.Pass(3 * 24 * time.Hour)
	_, err := r.PersonOf(signed)
	connectortest.WantKind(t, err, schema.Unauthorized)
}
