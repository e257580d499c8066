package pinterest

import (
	"net/http"
	"slices"
	"strconv"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/simulation/oauth"
	"crier/schema"
)

// board is one of a person's. The second has sections, and the last takes advertisements alone.
type board struct {
	id, name string
	adsOnly  bool
	sections []section
}

type section struct{ id, name string }

// boardsOf returns the boards of a person. The numbers of all follow from the person's.
func boardsOf(a *simulation.Account) []board {
	return []board{
		{id: "1" + a.ID, name: "Garden"},
		{id: "2" + a.ID, name: "Kitchen", sections: []section{{"21" + a.ID, "Bread"}, {"22" + a.ID, "Soup"}}},
		{id: "3" + a.ID, name: "Ad-only Pins", adsOnly: true},
	}
}

// entitiesOf returns the names that crier knows accounts of the person by.
func entitiesOf(a *simulation.Account) []string {
	var names []string
	for _, b := range boardsOf(a) {
		names = append(names, b.id)
		for _, s := range b.sections {
			names = append(names, b.id+"/"+s.id)
		}
	}
	return names
}

// Boards returns the ids of the boards on which the owner of a token pins.
func Boards(token string) []string {
	world := simulation.NewWorld(simulation.Config{Platform: schema.Pinterest})
	var ids []string
	for _, b := range boardsOf(world.Account(oauth.Owner(token))) {
		if !b.adsOnly {
			ids = append(ids, b.id)
		}
	}
	return ids
}

// board returns the person's board of an id, and its section where one is named.
func (v visit) board(id, sectionID string) (board, section, error) {
	boards := boardsOf(v.account)
	at := slices.IndexFunc(boards, func(b board) bool { return b.id == id })
	if at < 0 {
		return board{}, section{}, noBoard()
	}
	if sectionID == "" {
		return boards[at], section{}, nil
	}
	of := boards[at].sections
	i := slices.IndexFunc(of, func(s section) bool { return s.id == sectionID })
	if i < 0 {
		return board{}, section{}, noSection()
	}
	return boards[at], of[i], nil
}

func username(a *simulation.Account) string { return a.Handle }

func (s *simulator) shownBoard(a *simulation.Account, b board) map[string]any {
	crowd := s.world.Crowd(b.id)
	return map[string]any{
		"id": b.id, "name": b.name, "description": nil, "is_ads_only": b.adsOnly, "privacy": "PUBLIC",
		"owner": map[string]string{"username": username(a)}, "pin_count": crowd.Posts, "follower_count": crowd.Followers, "collaborator_count": 0,
		"created_at": "2026-01-02T03:04:05+00:00",
	}
}

func (s *simulator) listBoards(v visit) {
	var boards []map[string]any
	for _, b := range boardsOf(v.account) {
		boards = append(boards, s.shownBoard(v.account, b))
	}
	list(v, boards)
}

func (s *simulator) showBoard(v visit) {
	b, _, err := v.board(v.r.PathValue("board"), "")
	if err != nil {
		v.fail(err)
		return
	}
	answer(v.rw, http.StatusOK, s.shownBoard(v.account, b))
}

func (s *simulator) listSections(v visit) {
	b, _, err := v.board(v.r.PathValue("board"), "")
	if err != nil {
		v.fail(err)
		return
	}
	sections := []map[string]string{}
	for _, section := range b.sections {
		sections = append(sections, map[string]string{"id": section.id, "name": section.name})
	}
	list(v, sections)
}

func (s *simulator) showUser(v visit) {
	answer(v.rw, http.StatusOK, map[string]any{
		"id": v.account.ID, "username": username(v.account), "account_type": "BUSINESS", "business_name": nil,
		"about": "", "board_count": len(boardsOf(v.account)),
	})
}

const (
	usualPage = 25
	maxPage   = 250
)

// list answers with a part of a list. A bookmark is where it goes on.
func list[Of any](v visit, all []Of) {
	size, from := usualPage, 0
	query := v.r.URL.Query()
	for name, into := range map[string]*int{"page_size": &size, "bookmark": &from} {
		text := query.Get(name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || name == "page_size" && n > maxPage {
			v.fail(bad("Parameter '" + name + "' was not valid (was " + text + ")"))
			return
		}
		*into = n
	}
	end := min(from+size, len(all))
	part := append([]Of{}, all[min(from, end):end]...)
	page := map[string]any{"items": part, "bookmark": nil}
	if end < len(all) {
		page["bookmark"] = strconv.Itoa(end)
	}
	answer(v.rw, http.StatusOK, page)
}
