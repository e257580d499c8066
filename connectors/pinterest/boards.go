package pinterest

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"crier/connectors"
	"crier/schema"
)

type listedBoard struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	AdsOnly bool   `json:"is_ads_only"`
	Owner   struct {
		Username string `json:"username"`
	} `json:"owner"`
}

type listedSection struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

const (
	// maxLists bounds how many parts of a list are read.
	maxLists = 5
	// sectionedBoards is how many boards are asked for their sections when a person chooses:
	// each is a call.
	sectionedBoards    = 50
	sectionConcurrency = 5
)

// Check returns which board or section the account pins on, and that it is there.
func (c *Connector) Check(ctx context.Context, a schema.Account, credentials schema.Credentials) (connectors.Profile, error) {
	if credentials.EntityID == "" {
		return connectors.Profile{}, connectors.Refuse("a board is wanted: entityId is its number, or board/section")
	}
	to, err := readDestination(credentials.EntityID)
	if err != nil {
		return connectors.Profile{}, err
	}
	call := c.look(a, credentials, "/boards/"+to.board, opBoard)
	var board listedBoard
	response, err := c.client.Do(ctx, call, &board)
	if err != nil {
		return connectors.Profile{}, fmt.Errorf("asking for the board: %w", ofBoard(response, err))
	}
	if board.ID == "" {
		return connectors.Profile{}, platform.Strange("names no board")
	}
	profile := connectors.Profile{NativeID: to.entity(), Name: board.title()}
	if to.section == "" {
		return profile, nil
	}
	sections, err := c.sections(ctx, a, credentials, to.board)
	if err != nil {
		return connectors.Profile{}, err
	}
	at := slices.IndexFunc(sections, func(s listedSection) bool { return s.ID == to.section })
	if at < 0 {
		return connectors.Profile{}, &schema.Error{Kind: schema.TokenDead, End: schema.EndRemoved, Message: "the board has no such section"}
	}
	profile.Name += " / " + sections[at].Name
	return profile, nil
}

// title is what a board is called among those of several people.
func (b listedBoard) title() string {
	if b.Owner.Username == "" {
		return b.Name
	}
	return b.Owner.Username + ": " + b.Name
}

// Entities lists the person's boards and group boards, each followed by its sections. Boards
// for advertisements take none of crier's pins.
func (c *Connector) Entities(ctx context.Context, a schema.Account, person schema.Credentials) ([]connectors.Entity, error) {
	boards, err := list[listedBoard](ctx, c, c.look(a, person, "/boards", opBoards))
	if err != nil {
		return nil, fmt.Errorf("listing boards: %w", err)
	}
	boards = slices.DeleteFunc(boards, func(b listedBoard) bool { return b.ID == "" || b.AdsOnly })
	boards = boards[:min(len(boards), connectors.MaxEntities)]
	sections, err := c.sectionsOf(ctx, a, person, boards[:min(len(boards), sectionedBoards)])
	if err != nil {
		return nil, err
	}
	entities := []connectors.Entity{}
	add := func(to destination, kind, name string) {
		person.EntityID = to.entity()
		entities = append(entities, connectors.Entity{ID: to.entity(), Name: name, Kind: kind, Credentials: person})
	}
	for i, board := range boards {
		add(destination{board: board.ID}, "board", board.title())
		for j := 0; i < len(sections) && j < len(sections[i]); j++ {
			add(destination{board.ID, sections[i][j].ID}, "section", board.title()+" / "+sections[i][j].Name)
		}
	}
	return entities[:min(len(entities), connectors.MaxEntities)], nil
}

// sectionsOf lists the sections of boards, by their position.
func (c *Connector) sectionsOf(ctx context.Context, a schema.Account, person schema.Credentials, boards []listedBoard) ([][]listedSection, error) {
	sections := make([][]listedSection, len(boards))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(sectionConcurrency)
	for i, board := range boards {
		group.Go(func() (err error) {
			sections[i], err = c.sections(ctx, a, person, board.ID)
			return err
		})
	}
	return sections, group.Wait()
}

func (c *Connector) sections(ctx context.Context, a schema.Account, credentials schema.Credentials, board string) ([]listedSection, error) {
	sections, err := list[listedSection](ctx, c, c.look(a, credentials, "/boards/"+board+"/sections", opSections))
	if err != nil {
		return nil, fmt.Errorf("listing sections: %w", err)
	}
	return slices.DeleteFunc(sections, func(s listedSection) bool { return s.ID == "" }), nil
}

// list reads a list from its beginning.
func list[Of any](ctx context.Context, c *Connector, call connectors.Call) (items []Of, err error) {
	next := ""
	for range maxLists {
		call.Query = pageQuery(next)
		var read page[Of]
		if _, err := c.client.Do(ctx, call, &read); err != nil {
			return nil, err
		}
		if read.Items == nil {
			return nil, platform.Strange("is no list")
		}
		items = append(items, read.Items...)
		if next = read.Bookmark; next == "" {
			break
		}
	}
	return items, nil
}
