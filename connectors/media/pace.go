package media

import (
	"io"
	"time"

	"crier/schema"
)

// paced is content that has to keep up with the slowest line that is waited for: a server
// that sends a byte a second is given up long before the time of the whole fetch is over.
type paced struct {
	content io.Reader
	began   time.Time
	read    int64
	late    *time.Timer
}

// newPaced begins to count. What it calls when the content falls behind has to end its
// reads; stop ends the counting.
func newPaced(content io.Reader, giveUp func()) *paced {
	return &paced{content: content, began: time.Now(), late: time.AfterFunc(schema.TransferTime(0), giveUp)}
}

func (p *paced) Read(into []byte) (int, error) {
	p.late.Reset(time.Until(p.began.Add(schema.TransferTime(p.read))))
	n, err := p.content.Read(into)
	p.read += int64(n)
	return n, err
}

func (p *paced) stop() { p.late.Stop() }

func errTooSlow() error {
	return &schema.Error{Kind: schema.Retryable, Message: "the media's server sends too slowly"}
}
