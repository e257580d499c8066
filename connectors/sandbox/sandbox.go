package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"crier/connectors/simulation"
	"crier/schema"
)

// Simulator names a platform and makes its simulator.
type Simulator struct {
	Platform schema.Platform
	New      func(*simulation.World) http.Handler
}

// Config is what a Sandbox is made of.
type Config struct {
	Simulators []Simulator
	Folder     string        // keeps the state over a restart; empty: memory only
	BaseURL    func() string // where the sandbox is reached, without a slash at its end
	Now        func() time.Time
	HTTP       *http.Client // by which platforms that pull media fetch it
}

// Sandbox is the simulators of all platforms behind one address.
type Sandbox struct {
	mux      *http.ServeMux
	worlds   []*simulation.World
	journals []*simulation.Journal
}

// New makes the simulators, with the state their journals hold.
func New(c Config) (*Sandbox, error) {
	s := &Sandbox{mux: http.NewServeMux()}
	for _, simulator := range c.Simulators {
		if err := s.mount(c, simulator); err != nil {
			return nil, errors.Join(fmt.Errorf("mounting simulator of %s: %w", simulator.Platform, err), s.Close())
		}
	}
	return s, nil
}

func (s *Sandbox) mount(c Config, simulator Simulator) error {
	journal, err := s.openJournal(c.Folder, simulator.Platform)
	if err != nil {
		return err
	}
	path := "/" + simulator.Platform.String()
	world := simulation.NewWorld(simulation.Config{
		Platform: simulator.Platform,
		Now:      c.Now,
		Journal:  journal,
		BaseURL:  func() string { return c.BaseURL() + path },
		HTTP:     c.HTTP,
	})
	s.worlds = append(s.worlds, world)
	s.mux.Handle(path+"/", http.StripPrefix(path, simulator.New(world)))
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
