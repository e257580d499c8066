package simulation

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"crier/schema"
)

// Config is what a World is made of.
type Config struct {
	Platform schema.Platform
	Label    string // what the platform calls itself; empty: its name in the API
	Now      func() time.Time
	Journal  *Journal      // nil: memory only
	BaseURL  func() string // where the simulator is reached, without a slash at its end
	HTTP     *http.Client  // by which platforms that pull media fetch it; nil: they reach nothing
	Gallery  *Gallery      // keeps the bytes of media; nil: nobody does
	// Workspace returns for whom a call is made; nil: nobody knows.
	Workspace func(*http.Request) schema.WorkspaceID
	// Name returns what the account is called that makes a call; nil: nobody knows.
	Name func(*http.Request) string
	// Wall is where browsers find a post with all others; nil: at no place for everybody.
	Wall func(Post) string
	// Seed is what the audiences of posts and accounts follow from.
	Seed int64
}

// World is the state of one platform's simulator. It is safe for concurrent use.
type World struct {
	platform schema.Platform
	label    string
	now      func() time.Time
	journal  *Journal
	baseURL  func() string
	http     *http.Client
	lastID   atomic.Int64
	// Data is for the platform's own state, as its server's settings; it does not outlive the process.
	Data sync.Map

	gallery   *Gallery
	workspace func(*http.Request) schema.WorkspaceID
	name      func(*http.Request) string
	wall      func(Post) string
	show      func(Post) View // set once, with the handler

	mu       sync.RWMutex
	accounts map[string]*Account // by credential
	posts    []*Post             // in order of creation; never changed once added
	byOwner  map[string][]*Post
	byID     map[name]*Post
	byKey    map[name]*Post
	uploads  map[string]Upload
	revoked  map[string]struct{} // credentials; they do not outlive the process

	published published
	people    people
	seed      int64
	takenDown sync.Map // names of posts that are gone; they do not outlive the process

	faults  faults
	markers markers
	calls   calls
	ends    ends
	hasEnds map[End]EndAnswer // of the platform; set once, with its handler
}

// name is an id or a key within an account.
type name struct{ account, value string }

// NewWorld makes a World that holds what its journal does.
func NewWorld(c Config) *World {
	w := &World{platform: c.Platform, label: cmp.Or(c.Label, c.Platform.String()), now: c.Now, journal: c.Journal, baseURL: c.BaseURL, http: c.HTTP, gallery: c.Gallery, workspace: c.Workspace, name: c.Name, wall: c.Wall, seed: c.Seed}
	w.clear()
	w.restore(c.Journal.replayed())
	return w
}

// Platform returns whose world it is.
func (w *World) Platform() schema.Platform { return w.platform }

// Label returns what the platform calls itself.
func (w *World) Label() string { return w.label }

// Now returns the time of the world.
func (w *World) Now() time.Time { return w.now().UTC() }

// BaseURL returns where the simulator is reached, without a slash at its end.
func (w *World) BaseURL() string { return w.baseURL() }

// NewID returns an id that is above all others of this world, earlier runs included. It
// fits into the 53 bits that JSON numbers hold exactly.
func (w *World) NewID() int64 {
	for {
		last := w.lastID.Load()
		next := max(last+1, w.now().UnixMicro())
		if w.lastID.CompareAndSwap(last, next) {
			return next
		}
	}
}

// Reset forgets posts, what people said, uploads, faults, ends and which markers were met. Accounts follow
// from their credentials and stay what they were.
func (w *World) Reset() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.journal.truncate(); err != nil {
		return err
	}
	w.clear()
	w.faults.clear()
	w.markers.clear()
	w.calls.clear()
	w.ends.clear()
	w.takenDown.Clear()
	w.gallery.clear(w.platform)
	return nil
}

func (w *World) clear() {
	w.accounts = map[string]*Account{}
	w.posts = nil
	w.byOwner = map[string][]*Post{}
	w.byID = map[name]*Post{}
	w.byKey = map[name]*Post{}
	w.uploads = map[string]Upload{}
	w.revoked = map[string]struct{}{}
	w.published = newPublished()
	w.people.forget()
}

func (w *World) restore(records []record) {
	for _, r := range records {
		if r.Post != nil {
			w.insert(r.Post)
			w.raiseID(r.Post.ID)
		}
		if r.Upload != nil {
			w.uploads[r.Upload.ID] = *r.Upload
			w.raiseID(r.Upload.ID)
		}
	}
}

// raiseID keeps NewID above an id of an earlier run, which may have had another clock.
// Ids that are no numbers are the platform's own and cannot collide.
func (w *World) raiseID(id string) {
	if n, err := strconv.ParseInt(id, 10, 64); err == nil && n > w.lastID.Load() {
		w.lastID.Store(n)
	}
}

// Account is who a credential belongs to.
type Account struct {
	ID     string // decimal, at most 53 bits; platforms with ids of another form derive theirs
	Handle string
	// Data is for the platform's own state; it does not outlive the process.
	Data sync.Map
}

// Account returns the account of a credential, made on first use. The credential is
// whatever names an account in a request: a token, a handle, a chat. The same one is
// the same account in every run.
func (w *World) Account(credential string) *Account {
	credential = ownerOf(credential)
	w.mu.RLock()
	account, ok := w.accounts[credential]
	w.mu.RUnlock()
	if ok {
		return account
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if account, ok := w.accounts[credential]; ok {
		return account
	}
	account = newAccount(w.platform, credential)
	w.accounts[credential] = account
	return account
}

// Revoke has a token work no more; false: it was revoked before.
func (w *World) Revoke(token string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, before := w.revoked[token]
	w.revoked[token] = struct{}{}
	return !before
}

// Revoked reports whether a token was revoked.
func (w *World) Revoked(token string) bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	_, ok := w.revoked[token]
	return ok
}

// AccountID returns the ID of a credential's account, in any World of the platform.
func AccountID(p schema.Platform, credential string) string {
	return newAccount(p, ownerOf(credential)).ID
}

// newAccount derives the account from a hash, so that no credential need be kept.
func newAccount(p schema.Platform, credential string) *Account {
	sum := sha256.Sum256([]byte(p.String() + "\x00" + credential))
	id := strconv.FormatUint(binary.BigEndian.Uint64(sum[:8])>>11, 10)
	return &Account{ID: id, Handle: "user" + id}
}

// Add stores a post and returns it as it is stored: an empty ID becomes NewID's, a zero
// CreatedAt the present. If the account has a post of the same Key, that post is
// returned and added is false. The only error is the journal's.
func (w *World) Add(p Post) (stored Post, added bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.Key != "" {
		if first, ok := w.byKey[name{p.Account, p.Key}]; ok {
			return *first, false, nil
		}
	}
	if p.ID == "" {
		p.ID = strconv.FormatInt(w.NewID(), 10)
	}
	if p.CreatedAt.IsZero() {
		p.CreatedAt = w.Now()
	}
	p.Platform = w.platform
	if err := w.journal.write(record{Post: &p}); err != nil {
		return Post{}, false, err
	}
	w.insert(&p)
	return p, true, nil
}

func (w *World) insert(p *Post) {
	w.posts = append(w.posts, p)
	w.byOwner[p.Account] = append(w.byOwner[p.Account], p)
	w.byID[name{p.Account, p.ID}] = p
	if p.Key != "" {
		w.byKey[name{p.Account, p.Key}] = p
	}
	w.published.insert(p)
}

// Posts returns all posts in the order they were made.
func (w *World) Posts() []Post { return slices.Collect(w.All()) }

// All yields the posts as they are now, in the order they were made.
func (w *World) All() iter.Seq[Post] { return w.From(0) }

// From yields the same without the first n.
func (w *World) From(n int) iter.Seq[Post] {
	w.mu.RLock()
	posts := w.posts
	w.mu.RUnlock()
	return func(yield func(Post) bool) {
		for _, p := range posts[min(n, len(posts)):] {
			if !yield(*p) {
				return
			}
		}
	}
}

// Newest yields the posts of an account as they are now, the newest first.
func (w *World) Newest(account string) iter.Seq[Post] {
	w.mu.RLock()
	posts := w.byOwner[account]
	w.mu.RUnlock()
	return func(yield func(Post) bool) {
		for _, p := range slices.Backward(posts) {
			if !yield(*p) {
				return
			}
		}
	}
}

// Post returns a post of an account by its id.
func (w *World) Post(account, id string) (Post, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	p, ok := w.byID[name{account, id}]
	if !ok {
		return Post{}, false
	}
	return *p, true
}

// PostOfKey returns a post of an account by its key.
func (w *World) PostOfKey(account, key string) (Post, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	p, ok := w.byKey[name{account, key}]
	if !ok {
		return Post{}, false
	}
	return *p, true
}

// PutUpload stores an upload, or replaces the one of the same ID, and returns it as it
// is stored: an empty ID becomes NewID's, a zero CreatedAt the present. The only error
// is the journal's.
func (w *World) PutUpload(u Upload) (Upload, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if u.ID == "" {
		u.ID = strconv.FormatInt(w.NewID(), 10)
	}
	if u.CreatedAt.IsZero() {
		u.CreatedAt = w.Now()
	}
	if err := w.journal.write(record{Upload: &u}); err != nil {
		return Upload{}, err
	}
	w.uploads[u.ID] = u
	return u, nil
}

// Upload returns the upload of an id.
func (w *World) Upload(id string) (Upload, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	u, ok := w.uploads[id]
	return u, ok
}
