package listening

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"crier/connectors"
	"crier/schema"
	"crier/schema/guard"
	"crier/schema/sleep"
)

// SearchStore is all that a poller asks of the database.
type SearchStore interface {
	searchStore
	claimStore
}

// searchStore is what is to be searched for, and how far it was.
type searchStore interface {
	// DueSearches returns the monitors whose turn it is, the longest due first.
	DueSearches(ctx context.Context, sandbox bool, limit int) ([]schema.SearchStep, error)
	// SearchAccounts returns the accounts of a workspace on a platform that work.
	SearchAccounts(ctx context.Context, workspace schema.WorkspaceID, platform schema.Platform) ([]schema.Account, error)
	// AdvanceSearch stores how far a monitor was searched for with what was found, each find once,
	// while the claim is held.
	AdvanceSearch(ctx context.Context, claim schema.StreamClaim, step schema.SearchStep, finds []schema.Find) (found int, held bool, err error)
}

// PollerConfig is what a Poller is made of.
type PollerConfig struct {
	Stream    string // the search's name, in PostgreSQL and in metrics
	Sandbox   bool   // it is for the monitors of sandboxes alone, or for all others
	Platform  schema.Platform
	Store     SearchStore
	Platforms connectors.Resolver
	Vault     connectors.Opener
	Now       func() time.Time
	Logger    *slog.Logger
	Metrics   *Metrics
}

// Poller searches for monitors on a platform that has no stream, within what the platform lets an
// account search: the monitors of a workspace have a turn each, one after the other.
type Poller struct {
	PollerConfig
	kinds [4]prometheus.Counter
}

const (
	searchers  = 8   // at a time
	searchPage = 100 // posts, the most that Threads gives
	maxPages   = 20  // of a keyword in a round; what is older is left out
	// searchPatience is how long a platform may take to answer, all accounts that are tried
	// together; a claim lasts longer.
	searchPatience = 10 * time.Second
	// searchOverlap is how late a post may come into the platform's search.
	searchOverlap = 10 * time.Minute
	// searchRemembered is how long a find is known beyond the rounds in which it comes again.
	searchRemembered = 7 * 24 * time.Hour

	searchRetry   = time.Minute      // after what may pass
	searchBarred  = 15 * time.Minute // where no account may search, or the platform wants no more
	searchNothing = 24 * time.Hour   // where nothing can be found
)

// notStored is the problem of a monitor whose turn was taken, and could not be stored.
const notStored = "how far it was searched for could not be stored"

// NewPoller makes the poller of a platform.
func NewPoller(c PollerConfig) *Poller { return &Poller{c, c.Metrics.of(c.Stream)} }

// Run searches until ctx ends.
func (p *Poller) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := p.round(ctx); err != nil && ctx.Err() == nil {
			p.Logger.WarnContext(ctx, "searching for monitors failed", "stream", p.Stream, "err", err)
		}
		_ = sleep.For(ctx, idle)
	}
	return nil
}

// round takes the turns that are due, unless another process does. One that fails ends no other,
// whose search is paid for; none begins any more once a turn could not be stored.
func (p *Poller) round(ctx context.Context) error {
	if due, err := p.Store.DueSearches(ctx, p.Sandbox, 1); err != nil || len(due) == 0 {
		return err
	}
	claim, taken, err := p.Store.ClaimStream(ctx, p.Stream)
	if err != nil || !taken {
		return err
	}
	due, err := p.Store.DueSearches(ctx, p.Sandbox, 8*searchers)
	if err == nil {
		var group errgroup.Group
		var over atomic.Bool
		group.SetLimit(searchers)
		for i := range due {
			group.Go(func() error {
				if over.Load() || ctx.Err() != nil {
					return ctx.Err()
				}
				held, err := p.turn(ctx, claim, &due[i])
				if err != nil || !held {
					over.Store(true)
				}
				return err
			})
		}
		err = group.Wait()
	}
	return errors.Join(err, release(ctx, p.Store, claim))
}

// turn searches for a page of a monitor's keyword; held is false where another process has the
// claim.
func (p *Poller) turn(ctx context.Context, claim schema.StreamClaim, s *schema.SearchStep) (held bool, err error) {
	now := p.Now()
	if s.Keyword >= len(s.Monitor.Include) {
		s.Keyword = 0
	}
	if s.Keyword == 0 && s.Page == 0 {
		s.Began = now
	}
	before := *s
	s.NextAt, s.Problem = now.Add(time.Duration(s.Sharing)*schema.SearchPace), ""
	var finds []schema.Find
	if s.Monitor.Language != "" {
		s.Problem = fmt.Sprintf("%s does not tell the language of posts", p.Platform)
		s.NextAt = now.Add(searchNothing)
	} else if page, err := p.search(ctx, s); err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		p.postpone(ctx, s, err)
	} else {
		finds = p.finds(s, page.Items)
		p.goOn(ctx, s, page)
	}
	return p.advance(ctx, claim, before, s, finds)
}

// advance stores a turn, without finds that cannot be stored. Where the turn cannot be, it is taken
// again no sooner than the next one is: searches are few, and paid for.
func (p *Poller) advance(ctx context.Context, claim schema.StreamClaim, before schema.SearchStep, s *schema.SearchStep, finds []schema.Find) (held bool, err error) {
	store := func(step schema.SearchStep, finds []schema.Find) error {
		return guard.Do(func() (err error) {
			var found int
			found, held, err = p.Store.AdvanceSearch(ctx, claim, step, finds)
			p.Metrics.found.WithLabelValues(p.Stream).Add(float64(found))
			return err
		})
	}
	err = store(*s, finds)
	if schema.KindOf(err) == schema.Unavailable && ctx.Err() == nil { // by another connection, before it is searched for twice
		err = store(*s, finds)
	}
	if isOfData(err) {
		storable := sift(finds, func(some []schema.Find) error { return store(before, some) })
		if left := len(finds) - len(storable); left > 0 {
			p.Metrics.gaps.WithLabelValues(p.Stream).Inc()
			p.Logger.ErrorContext(ctx, "what a search has found could not be stored and is left out",
				"stream", p.Stream, "monitor", s.Monitor.ID, "finds", left, "err", err)
		}
		err = store(*s, storable)
	}
	if err != nil && ctx.Err() == nil {
		p.Logger.ErrorContext(ctx, "a search could not be stored", "stream", p.Stream, "monitor", s.Monitor.ID, "err", err)
		before.NextAt, before.Problem = s.NextAt, notStored
		// What a database lacks it may have soon; any other error may come again with the same.
		if barred := p.Now().Add(searchBarred); schema.KindOf(err) != schema.Unavailable && barred.After(before.NextAt) {
			before.NextAt = barred
		}
		err = store(before, nil)
	}
	return held, err
}

// search asks for the page, as the first account that may.
func (p *Poller) search(ctx context.Context, s *schema.SearchStep) (connectors.FeedPage, error) {
	ctx, cancel := context.WithTimeout(ctx, searchPatience)
	defer cancel()
	accounts, err := p.Store.SearchAccounts(ctx, s.Monitor.Workspace, p.Platform)
	if err != nil {
		return connectors.FeedPage{}, err
	}
	query := connectors.FeedQuery{
		Words: s.Monitor.Include[s.Keyword], Since: s.Until.Add(-searchOverlap), Cursor: s.Place, Limit: searchPage,
	}
	refused := error(&schema.Error{Kind: schema.TokenDead, Message: fmt.Sprintf("the workspace has no account on %s that works", p.Platform)})
	for _, account := range accounts {
		page, err := p.searchAs(ctx, account, query)
		if schema.KindOf(err) != schema.TokenDead {
			return page, err
		}
		refused = err
	}
	return connectors.FeedPage{}, refused
}

func (p *Poller) searchAs(ctx context.Context, account schema.Account, query connectors.FeedQuery) (connectors.FeedPage, error) {
	searcher, err := connectors.As[connectors.FeedSearcher](p.Platforms, account)
	if err != nil {
		return connectors.FeedPage{}, err
	}
	credentials, err := connectors.Unseal(p.Vault, account)
	if err != nil {
		return connectors.FeedPage{}, err
	}
	page, err := searcher.SearchFeed(ctx, connectors.Reading{Account: account, Credentials: credentials}, query)
	return page.Dated(p.Now()), err
}

// finds are the posts that the monitor asks for: what a platform finds for a keyword may have it
// as a part of a word, or have an excluded one.
func (p *Poller) finds(s *schema.SearchStep, items []connectors.FeedItem) (finds []schema.Find) {
	p.kinds[connectors.StreamPost].Add(float64(len(items)))
	matcher := NewMatcher([]schema.Monitor{s.Monitor})
	round := time.Duration(len(s.Monitor.Include)*s.Sharing) * schema.SearchPace
	for i := range items {
		if items[i].WrittenAt.Before(s.Monitor.UpdatedAt) {
			continue
		}
		for _, match := range matcher.Match(&items[i], nil) {
			f := findOf(&match)
			f.Known = searchRemembered + 3*round
			finds = append(finds, f)
		}
	}
	return finds
}

// goOn moves a step to the next page, or keyword, or round.
func (p *Poller) goOn(ctx context.Context, s *schema.SearchStep, page connectors.FeedPage) {
	if page.Next != "" && s.Page+1 < maxPages {
		s.Page, s.Place = s.Page+1, page.Next
		return
	}
	if page.Next != "" {
		p.Metrics.gaps.WithLabelValues(p.Stream).Inc()
		p.Logger.WarnContext(ctx, "there are more posts than are searched through", "stream", p.Stream, "monitor", s.Monitor.ID, "keyword", s.Keyword)
	}
	s.Page, s.Place = 0, ""
	if s.Keyword++; s.Keyword == len(s.Monitor.Include) {
		s.Keyword, s.Until = 0, s.Began
	}
}

// postpone says when a search that failed is tried again, and why nothing is searched until then.
func (p *Poller) postpone(ctx context.Context, s *schema.SearchStep, err error) {
	p.Metrics.Lost(p.Stream)
	e, ok := errors.AsType[*schema.Error](err)
	wait := searchRetry
	switch {
	case !ok:
		p.Logger.WarnContext(ctx, "a search failed", "stream", p.Stream, "monitor", s.Monitor.ID, "err", err)
	case e.Kind == schema.TokenDead:
		s.Problem, wait = e.Message, searchBarred
	case e.Kind == schema.RateLimited:
		s.Problem, wait = fmt.Sprintf("%s takes no more searches for now", p.Platform), min(max(e.RetryAfter, searchBarred), searchNothing)
	case e.Kind == schema.Refused: // of this keyword: the others have their turns
		s.Problem = fmt.Sprintf("%s refuses to search for %q: %s", p.Platform, s.Monitor.Include[s.Keyword], e.Message)
		p.goOn(ctx, s, connectors.FeedPage{})
	}
	if next := p.Now().Add(wait); next.After(s.NextAt) {
		s.NextAt = next
	}
}
