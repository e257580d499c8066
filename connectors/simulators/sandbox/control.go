package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// maxFaultBytes bounds the body of a fault: the answer it forces may be large on purpose.
const maxFaultBytes = 8 << 20

// SimulateHandler serves the platforms and the controls. Whoever reaches it can read
// and forget everything: it is for tests and load, never beside real accounts.
func (s *Sandbox) SimulateHandler() http.Handler {
	controls := http.NewServeMux()
	controls.HandleFunc("GET /_control/posts", s.listPosts)
	controls.HandleFunc("POST /_control/faults", s.injectFault)
	controls.HandleFunc("POST /_control/ends", s.endAccount)
	controls.HandleFunc("POST /_control/said", s.say)
	controls.HandleFunc("POST /_control/reset", s.reset)
	if s.wall != "" {
		controls.Handle("GET /_control/wall", http.RedirectHandler(s.wall, http.StatusSeeOther))
	}
	mux := http.NewServeMux()
	mux.Handle("/", s.mux)
	mux.Handle("/_control/", controls)
	return mux
}

// controlPost is a post as the controls show it.
type controlPost struct {
	Platform  schema.Platform    `json:"platform"`
	Account   string             `json:"account"`
	ID        string             `json:"id"`
	Text      string             `json:"text"`
	Media     []simulation.Media `json:"media"`   // never null
	ReplyTo   *string            `json:"replyTo"` // null: it answers nothing
	CreatedAt time.Time          `json:"createdAt"`
}

func newControlPost(p simulation.Post) controlPost {
	post := controlPost{
		Platform: p.Platform, Account: p.Account, ID: p.ID, Text: p.Text,
		Media: p.Media, CreatedAt: p.CreatedAt,
	}
	if post.Media == nil {
		post.Media = []simulation.Media{}
	}
	if p.ReplyTo != "" {
		post.ReplyTo = &p.ReplyTo
	}
	return post
}

// listPosts answers post by post: a load test leaves hundreds of thousands. With a platform
// it lists that one's alone, without the first skip: whoever reads as they come reads each
// once.
func (s *Sandbox) listPosts(rw http.ResponseWriter, r *http.Request) {
	platform, skip, err := wantedPosts(r.URL.Query())
	if err != nil {
		refuse(rw, err)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	out := bufio.NewWriterSize(rw, 64<<10)
	encoder := json.NewEncoder(out)
	separator := ""
	out.WriteString(`{"posts":[`)
	for _, world := range s.worlds {
		if platform != 0 && world.Platform() != platform {
			continue
		}
		for post := range world.From(skip) {
			out.WriteString(separator)
			if err := encoder.Encode(newControlPost(post)); err != nil {
				panic(http.ErrAbortHandler) // a whole-looking list would lie
			}
			separator = ","
		}
	}
	out.WriteString("]}\n")
	out.Flush()
}

// wantedPosts reads ?platform=P[&skip=N]; without them all posts are wanted.
func wantedPosts(query url.Values) (platform schema.Platform, skip int, err error) {
	if name := query.Get("platform"); name != "" {
		if platform, err = schema.ParsePlatform(name); err != nil {
			return 0, 0, fmt.Errorf("platform: %w", err)
		}
	}
	if text := query.Get("skip"); text != "" {
		if skip, err = strconv.Atoi(text); err != nil || skip < 0 || platform == 0 {
			return 0, 0, errors.New("skip: a number of posts of one platform is wanted")
		}
	}
	return platform, skip, nil
}

func (s *Sandbox) injectFault(rw http.ResponseWriter, r *http.Request) {
	var fault simulation.Fault
	err := readControl(http.MaxBytesReader(rw, r.Body, maxFaultBytes), &fault)
	if err == nil {
		err = s.in(fault.Platform, func(world *simulation.World) error { return world.Inject(fault) })
	}
	if err != nil {
		refuse(rw, err)
		return
	}
	rw.WriteHeader(http.StatusNoContent)
}

// accountEnd is what becomes of an account; no end takes an earlier one back.
type accountEnd struct {
	Platform string         `json:"platform"`
	Account  string         `json:"account"` // as its posts have it
	End      simulation.End `json:"end"`
}

func (s *Sandbox) endAccount(rw http.ResponseWriter, r *http.Request) {
	var input accountEnd
	err := readControl(http.MaxBytesReader(rw, r.Body, maxFaultBytes), &input)
	if err == nil {
		err = s.in(input.Platform, func(world *simulation.World) error { return world.End(input.Account, input.End) })
	}
	if err != nil {
		refuse(rw, err)
		return
	}
	rw.WriteHeader(http.StatusNoContent)
}

// saying is what a person writes: under a post, or, without one, elsewhere and naming the account.
type saying struct {
	Platform string `json:"platform"`
	Account  string `json:"account"` // as its posts have it
	Under    string `json:"under"`   // a post's id
	Text     string `json:"text"`
}

// say answers with the id of what was written.
func (s *Sandbox) say(rw http.ResponseWriter, r *http.Request) {
	var input saying
	var remark simulation.Remark
	err := readControl(http.MaxBytesReader(rw, r.Body, maxFaultBytes), &input)
	if err == nil {
		err = s.in(input.Platform, func(world *simulation.World) error {
			if _, there := world.Post(input.Account, input.Under); input.Under != "" && !there {
				return errors.New("under: there is no such post of the account")
			}
			remark = world.Say(simulation.Remark{Account: input.Account, Under: input.Under, Text: input.Text})
			return nil
		})
	}
	if err != nil {
		refuse(rw, err)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	json.NewEncoder(rw).Encode(map[string]string{"id": remark.ID}) // fails only when the client is gone
}

// in does something in the world of a platform.
func (s *Sandbox) in(name string, do func(*simulation.World) error) error {
	platform, err := schema.ParsePlatform(name)
	if err != nil {
		return fmt.Errorf("platform: %w", err)
	}
	world := s.World(platform)
	if world == nil {
		return fmt.Errorf("platform: %s has no simulator", platform)
	}
	return do(world)
}

// readControl is strict: a misspelt field would be a fault that never happens.
func readControl(body io.Reader, into any) error {
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("reading fault: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("reading fault: one JSON object is wanted")
	}
	return nil
}

func (s *Sandbox) reset(rw http.ResponseWriter, _ *http.Request) {
	for _, world := range s.worlds {
		if err := world.Reset(); err != nil {
			answerError(rw, http.StatusInternalServerError, err)
			return
		}
	}
	rw.WriteHeader(http.StatusNoContent)
}

func refuse(rw http.ResponseWriter, err error) { answerError(rw, http.StatusBadRequest, err) }

func answerError(rw http.ResponseWriter, status int, err error) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	json.NewEncoder(rw).Encode(map[string]string{"error": err.Error()})
}
