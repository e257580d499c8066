package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"crier/connectors/simulators/simulation"
	"crier/connectors/simulators/wall"
	"crier/schema"
)

// Config is what a Sandbox is made of.
type Config struct {
	Simulators []simulation.Simulator
	Unlimited  bool          // without the platforms' rate limits, for load
	Folder     string        // keeps the state over a restart; empty: memory only
	BaseURL    func() string // where the sandbox is reached, without a slash at its end
	Now        func() time.Time
	HTTP       *http.Client // by which platforms that pull media fetch it
	// Gallery is the folder of what media are made of; empty: within Folder, or nowhere.
	Gallery string
	Walls   wall.Addresses // what was published is shown at
	// OneWall shows at one place, for everybody, what is published for no workspace.
	OneWall bool
}

// Sandbox is the simulators of all platforms behind one address.
type Sandbox struct {
	mux      *http.ServeMux
	worlds   []*simulation.World
	journals []*simulation.Journal
	gallery  *simulation.Gallery
	wall     string // the path of the one wall; empty: there is none
}

// New makes the simulators, with the state their journals hold.
func New(c Config) (*Sandbox, error) {
	s := &Sandbox{mux: http.NewServeMux()}
	if err := s.openGallery(c); err != nil {
		return nil, err
	}
	if c.OneWall {
		s.wall = wall.Path + c.Walls.Of(schema.WorkspaceID{}) + "/"
	}
	for _, simulator := range c.Simulators {
		if err := s.mount(c, simulator); err != nil {
			return nil, errors.Join(fmt.Errorf("mounting simulator of %s: %w", simulator.Platform, err), s.Close())
		}
	}
	s.mux.Handle(wall.Path, wall.Handler(c.Walls, s.worlds))
	return s, nil
}

func (s *Sandbox) openGallery(c Config) (err error) {
	folder := c.Gallery
	if folder == "" && c.Folder != "" {
		folder = filepath.Join(c.Folder, "media")
	}
	if folder != "" {
		s.gallery, err = simulation.OpenGallery(folder, simulation.UsualRoom())
	}
	return err
}

// StoredBytes returns how many bytes of media the sandbox keeps.
func (s *Sandbox) StoredBytes() int64 { return s.gallery.Bytes() }

func (s *Sandbox) mount(c Config, simulator simulation.Simulator) error {
	journal, err := s.openJournal(c.Folder, simulator.Platform)
	if err != nil {
		return err
	}
	path := "/" + simulator.Platform.String()
	config := simulation.Config{
		Platform: simulator.Platform, Label: simulator.Label, Now: c.Now, Journal: journal, HTTP: c.HTTP,
		BaseURL: func() string { return c.BaseURL() + path },
		Gallery: s.gallery, Workspace: c.Walls.WorkspaceOf, Name: c.Walls.NameOf,
	}
	if s.wall != "" {
		config.Wall = func(p simulation.Post) string {
			return s.wall + simulator.Platform.String() + "?post=" + url.QueryEscape(p.ID)
		}
	}
	world := simulation.NewWorld(config)
	s.worlds = append(s.worlds, world)
	simulate := simulator.New
	if c.Unlimited {
		simulate = simulator.NewUnlimited
	}
	s.mux.Handle(path+"/", http.StripPrefix(path, simulate(world)))
	return nil
}

func (s *Sandbox) openJournal(folder string, p schema.Platform) (*simulation.Journal, error) {
	if folder == "" {
		return nil, nil
	}
	journal, err := simulation.OpenJournal(folder, p)
	if err != nil {
		return nil, err
	}
	s.journals = append(s.journals, journal)
	return journal, nil
}

// Handler serves the platforms alone.
func (s *Sandbox) Handler() http.Handler { return s.mux }

// World returns the state of a platform's simulator, nil if there is none.
func (s *Sandbox) World(p schema.Platform) *simulation.World {
	for _, w := range s.worlds {
		if w.Platform() == p {
			return w
		}
	}
	return nil
}

// Close closes the journals; the handlers must not be in use any more.
func (s *Sandbox) Close() error {
	var errs []error
	for _, journal := range s.journals {
		errs = append(errs, journal.Close())
	}
	return errors.Join(errs...)
}
