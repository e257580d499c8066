package clickhousehttp

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"crier/compose/embedded/chdb"
)

// sessions are the engine's connections, lent to one statement at a time.
type sessions struct {
	connect func() (*chdb.Conn, error)
	idle    chan *session
	version string // the engine's

	killing sync.Mutex
	killer  *chdb.Conn // only for statements that kill others
}

type session struct {
	*chdb.Conn
	tag      string // finds what the session runs among the engine's processes
	database string // the one in use; empty is not known
}

func openSessions(connect func() (*chdb.Conn, error), count int) (*sessions, error) {
	s := &sessions{connect: connect, idle: make(chan *session, count)}
	var err error
	if s.killer, err = connect(); err != nil {
		return nil, err
	}
	version, err := s.killer.Query("SELECT version()", "TSV")
	if err != nil {
		return nil, fmt.Errorf("asking for version: %w", err)
	}
	s.version = strings.TrimSpace(string(version))
	for n := range count {
		ss, err := s.open(fmt.Sprintf("crier-session-%d", n))
		if err != nil {
			return nil, err
		}
		s.idle <- ss
	}
	return s, nil
}

func (s *sessions) open(tag string) (*session, error) {
	conn, err := s.connect()
	if err != nil {
		return nil, err
	}
	if _, err := conn.Query("SET log_comment = "+literal(tag), "TSV"); err != nil {
		return nil, fmt.Errorf("tagging session: %w", err)
	}
	return &session{Conn: conn, tag: tag}, nil
}

// run runs a statement on the next free session and hands its output to write.
func (s *sessions) run(ctx context.Context, st *statement, write func([]byte) error) error {
	var ss *session
	select {
	case ss = <-s.idle:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { s.idle <- ss }()

	err := s.runOn(ctx, ss, st, write)
	if !st.sticky() && ss.reset(st) == nil {
		return err
	}
	fresh, openErr := s.open(ss.tag)
	if openErr != nil {
		return openErr
	}
	ss.Close()
	ss = fresh
	return err
}

func (s *sessions) runOn(ctx context.Context, ss *session, st *statement, write func([]byte) error) error {
	if err := ss.prepare(st); err != nil {
		return err
	}
	defer s.killWhenDone(ctx, ss)()
	if st.reads() {
		return ss.Stream(write, st.query, st.format, st.parameters...)
	}
	output, err := ss.Query(st.query, st.format, st.parameters...)
	if err != nil {
		return err
	}
	return write(output)
}

// prepare puts the statement's database and settings on the session.
func (ss *session) prepare(st *statement) error {
	if st.database != "" && st.database != ss.database {
		if _, err := ss.Query("USE "+identifier(st.database), "TSV"); err != nil {
			return err
		}
		ss.database = st.database
	}
	if len(st.settings) == 0 {
		return nil
	}
	var assignments []string
	for _, s := range st.settings {
		assignments = append(assignments, s.name+" = "+literal(s.value))
	}
	_, err := ss.Query("SET "+strings.Join(assignments, ", "), "TSV")
	return err
}

// reset takes the statement's settings off. The database stays: most requests name the
// same one, and the next statement that does not gets its own first.
func (ss *session) reset(st *statement) error {
	if len(st.settings) == 0 {
		return nil
	}
	var assignments []string
	for _, s := range st.settings {
		assignments = append(assignments, s.name+" = DEFAULT")
	}
	_, err := ss.Query("SET "+strings.Join(assignments, ", "), "TSV")
	return err
}

// killWhenDone kills the session's statement when ctx ends. The function it returns must be
// called when the statement is over, before the session runs another.
func (s *sessions) killWhenDone(ctx context.Context, ss *session) (over func()) {
	finished := make(chan struct{})
	killed := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(killed)
		// The statement may not have begun yet, so once is not enough.
		again := time.NewTicker(50 * time.Millisecond)
		defer again.Stop()
		for {
			s.kill(ss.tag)
			select {
			case <-finished:
				return
			case <-again.C:
			}
		}
	})
	return func() {
		close(finished)
		if !unwatch() {
			<-killed
		}
	}
}

func (s *sessions) kill(tag string) {
	s.killing.Lock()
	defer s.killing.Unlock()
	// A statement that could not be killed this time is killed the next time.
	_, _ = s.killer.Query("KILL QUERY WHERE Settings['log_comment'] = "+literal(tag)+" ASYNC", "TSV")
}
