package machine

import (
	"time"

	"crier/schema"
)

// message asks for a step of a target, or of a first comment.
type message struct {
	target  schema.TargetRef
	comment schema.CommentID // zero: of the target
}

// log is Kafka at its worst: each message may be lost, repeated or late, so that messages
// overtake one another.
type log struct {
	*simulation
	emptied int // how often all messages in it were lost
}

const (
	longestStall   = 10 * time.Minute
	sessionTimeout = 45 * time.Second // until a dead consumer's messages go to another
)

func (l *log) produce(messages ...message) {
	for _, m := range messages {
		if l.chance(l.faults.lose) {
			l.seen.lost++
			continue
		}
		l.send(m)
		if l.chance(l.faults.repeat) {
			l.seen.repeated++
			l.send(m)
		}
	}
}

func (l *log) send(m message) {
	in := l.between(time.Millisecond, 20*time.Millisecond)
	if l.chance(l.faults.stall) {
		l.seen.stalled++
		in = l.between(time.Second, longestStall)
	}
	emptied := l.emptied
	l.after(in, func() { l.deliver(m, emptied) })
}

// deliver gives a message to a live worker. It is acknowledged once it is claimed: if the
// worker dies before that, another one gets it.
func (l *log) deliver(m message, emptied int) {
	if emptied != l.emptied {
		return
	}
	n := l.aliveNode()
	if n == nil {
		l.after(l.between(time.Second, 5*time.Second), func() { l.deliver(m, emptied) })
		return
	}
	life := n.life
	wait := l.between(0, 50*time.Millisecond)
	if l.chance(l.faults.stall) {
		wait = l.between(0, 30*time.Second)
	}
	l.after(wait, func() {
		if !n.lives(life) || n.dies("before a claim") {
			l.after(l.between(time.Second, sessionTimeout), func() { l.deliver(m, emptied) })
			return
		}
		n.claim(m)
	})
}

// empty loses all messages in the log.
func (l *log) empty() {
	l.emptied++
	l.seen.emptied++
	l.tell("the log is emptied")
}

// delay fires jobs: from its window in memory, which may still hold a job that an edit has
// replaced, and by a scan for overdue ones.
type delay struct{ *simulation }

const (
	overdueAfter = 500 * time.Millisecond
	scanEvery    = time.Second
)

// hear is called with each job that is written. The job comes into a worker's window, by its
// announcement or when the window is filled, unless it is lost on the way.
func (d *delay) hear(j job) {
	in := max(0, j.due.Sub(d.now))
	d.after(in+d.between(overdueAfter, overdueAfter+scanEvery), func() { d.scan(j) })
	n := d.aliveNode()
	if n == nil || d.chance(d.faults.forget) || d.rand.IntN(5) == 0 {
		return
	}
	life := n.life
	d.after(in, func() {
		if n.lives(life) {
			d.fire(j, n)
		}
	})
}

// scan fires a job that is overdue and has not moved since it was written.
func (d *delay) scan(heard job) {
	j := d.store.jobs[heard.id]
	if j == nil || !j.due.Equal(heard.due) || j.version != heard.version {
		return
	}
	if n := d.aliveNode(); n != nil {
		d.fire(*j, n)
	}
	d.after(d.between(2*scanEvery, 5*scanEvery), func() { d.scan(heard) })
}

// fire writes the messages of a job to the log, and only then moves the job on.
func (d *delay) fire(j job, n *node) {
	if j.kind == schema.JobComment {
		d.log.produce(message{comment: schema.CommentID(j.id)})
	} else {
		d.log.produce(messagesOf(d.store.byID[schema.PostID(j.id)], j.version)...)
	}
	d.tell("%s: its job of version %d fires", d.nameOf(j), j.version)
	if !d.rules.jobLivesOn {
		delete(d.store.jobs, j.id)
	}
	life := n.life
	d.after(d.between(time.Millisecond, 300*time.Millisecond), func() {
		if n.lives(life) && !n.dies("before a fired job moves on") {
			d.store.fired(j, d.now)
		}
	})
}

func (d *delay) nameOf(j job) string {
	if j.kind == schema.JobComment {
		c := d.store.comments[schema.CommentID(j.id)]
		if c == nil {
			return "a comment that is gone"
		}
		return commentSpot(c).String()
	}
	return spot{post: d.store.byID[schema.PostID(j.id)].number, target: -1}.String()
}
