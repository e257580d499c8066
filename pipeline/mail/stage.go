package mail

import (
	"context"
	"log/slog"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"

	"crier/schema/people"
	"crier/schema/sleep"
)

// store is all that sending asks of the database.
type store interface {
	// Address turns a note into the mails of members; false where there is none.
	Address(ctx context.Context) (bool, error)
	outbox
	// Waiting returns what is due or was tried in vain, by kind.
	Waiting(ctx context.Context) (map[people.MailKind]people.WaitingMail, error)
}

// outbox holds mails.
type outbox interface {
	// Claim takes a mail that is due, for a lease.
	Claim(ctx context.Context, lease time.Duration) (people.Mail, bool, error)
	// Letter reads what a mail says; false where there is nothing to say any more.
	Letter(ctx context.Context, m people.Mail) (people.Letter, bool, error)
	Finish(ctx context.Context, d people.Delivered) error
}

const (
	lookEvery = 2 * time.Second
	// handLimit is how long a mail in hand may take; the lease is longer, so that nobody else sends it meanwhile.
	handLimit = connectTimeout + stepsTimeout + answerTimeout + finishLimit
	mailLease = handLimit + time.Minute
	// finishLimit is how long PostgreSQL may take to store what became of it.
	finishLimit = 10 * time.Second
	// perConnection is how many mails go over a connection.
	perConnection = 100
	// A server that does not answer is tried again after minPause, then twice as long, and at most maxPause.
	minPause, maxPause = 2 * time.Second, 5 * time.Minute
	// A mail that the server does not take now is tried again after minWait, then twice as long, and at most maxWait.
	minWait, maxWait = time.Minute, time.Hour
	countEvery       = 15 * time.Second
	// longWait is how long mail waits until a process that sends none tells of it.
	longWait = 5 * time.Minute
)

// Config is what the stage is made of.
type Config struct {
	Server    *Server // nil: mail is counted here, and sent by others
	PublicURL string  // where people reach this installation
	Store     store
	Now       func() time.Time
	Logger    *slog.Logger
	Metrics   *Metrics
}

// Stage sends mail.
type Stage struct {
	Config
	pause time.Duration // since the server does not answer; zero: it does
}

// New makes the stage.
func New(c Config) *Stage { return &Stage{Config: c} }

// Run sends mail until ctx ends. The mail in hand has for drain then: one that the server has not answered by that
// time is sent once more, as whether it was taken is not known.
func (s *Stage) Run(ctx context.Context, drain time.Duration) error {
	calls, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	defer context.AfterFunc(ctx, func() {
		if sleep.For(calls, drain) == nil {
			cut()
		}
	})()
	var counting sync.WaitGroup
	defer counting.Wait()
	counting.Go(func() { s.count(ctx) }) // by itself: a slow server would stop it
	for sleep.For(ctx, max(lookEvery, s.pause)) == nil {
		if err := s.round(ctx, calls); err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "sending mail failed", "err", err)
		}
	}
	return nil
}

// round sends what is due, over one connection: one after the other until ctx ends, each until calls does.
func (s *Stage) round(ctx, calls context.Context) error {
	if s.Server == nil {
		return nil
	}
	for more := true; more; {
		var err error
		if more, err = s.Store.Address(ctx); err != nil {
			return err
		}
	}
	var open *connection
	defer func() { open.close() }()
	for range perConnection {
		if ctx.Err() != nil {
			return nil
		}
		hand, cancel := context.WithTimeout(calls, handLimit)
		more, err := s.next(hand, &open)
		cancel()
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// next sends one mail. It returns false where none is due, or the server does not answer: others would wait as long.
func (s *Stage) next(ctx context.Context, open **connection) (bool, error) {
	m, found, err := s.Store.Claim(ctx, mailLease)
	if err != nil || !found {
		return false, err
	}
	letter, found, err := s.Store.Letter(ctx, m)
	if err != nil {
		return false, err
	}
	if !found {
		return true, s.finish(ctx, people.Delivered{Mail: m, Ending: people.MailIdle})
	}
	message, err := compose(letter, m, s.Server.From, s.PublicURL)
	if err != nil {
		s.Logger.WarnContext(ctx, "a mail cannot be written", "mail", m.ID, "kind", m.Kind.String(), "err", err)
		return true, s.finish(ctx, people.Delivered{Mail: m, Ending: people.MailRefused})
	}
	if *open == nil {
		if *open, err = s.connect(ctx); err != nil {
			return false, s.finish(ctx, people.Delivered{Mail: m, Ending: people.MailRetried, Wait: s.pause})
		}
	}
	return s.send(ctx, open, m, message)
}

// connect reaches the server, which is left alone for a while where it does not answer.
func (s *Stage) connect(ctx context.Context) (*connection, error) {
	open, err := s.Server.connect(ctx)
	if err != nil {
		s.pause = min(max(2*s.pause, minPause), maxPause)
		s.Logger.WarnContext(ctx, "the server of mail does not answer", "err", err, "pause", s.pause)
		return nil, err
	}
	s.pause = 0
	return open, nil
}

func (s *Stage) send(ctx context.Context, open **connection, m people.Mail, message *gomail.Msg) (bool, error) {
	err := (*open).send(ctx, message)
	if err == nil {
		return true, s.finish(ctx, people.Delivered{Mail: m, Ending: people.MailSent})
	}
	(*open).close()
	*open = nil
	v, done := verdictOf(err), people.Delivered{Mail: m, Ending: people.MailRetried, Wait: waitAfter(m.Attempts)}
	if v.final {
		done.Ending = people.MailRefused
	}
	// The server's words may hold the address, and what crier said to it a link.
	s.Logger.WarnContext(ctx, "a mail was not taken", "mail", m.ID, "kind", m.Kind.String(), "code", v.code, "step", v.step, "final", v.final)
	return v.code != 0, s.finish(ctx, done)
}

func waitAfter(attempts int) time.Duration {
	return min(minWait<<min(attempts-1, 10), maxWait)
}

// finish stores what became of a mail, however long the server took: else it would go once more.
func (s *Stage) finish(ctx context.Context, d people.Delivered) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
	defer cancel()
	s.Metrics.mails.WithLabelValues(d.Mail.Kind.String(), d.Ending.String()).Inc()
	return s.Store.Finish(ctx, d)
}

// count shows what waits, until ctx ends.
func (s *Stage) count(ctx context.Context) {
	for last := (counted{}); sleep.For(ctx, countEvery) == nil; {
		last = s.countNext(ctx, last)
	}
}

// counted is how counting what waits came out.
type counted struct{ isFailed, isLate bool }

// countNext shows what waits. A process that sends no mail tells of a failure, and of mail that waits for long, when
// it begins; of others a round tells.
func (s *Stage) countNext(ctx context.Context, last counted) counted {
	now := s.Now()
	waiting, err := s.Store.Waiting(ctx)
	if err != nil {
		if s.Server == nil && !last.isFailed && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "counting the mail that waits failed", "err", err)
		}
		return counted{isFailed: true, isLate: last.isLate}
	}
	s.Metrics.show(waiting, now)
	late := waitsLong(waiting, now)
	if s.Server == nil && !last.isLate && late {
		s.Logger.WarnContext(ctx, "mail waits to be sent by a process that has --mail-server; this one sends none")
	}
	return counted{isLate: late}
}

func waitsLong(waiting map[people.MailKind]people.WaitingMail, now time.Time) bool {
	for _, w := range waiting {
		if now.Sub(w.Since) > longWait {
			return true
		}
	}
	return false
}
