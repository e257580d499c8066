package stream

import "time"

// Message is one record in flight. The stage acknowledges it once its effect is committed
// to PostgreSQL, or once the stage gives it up.
type Message struct {
	Topic     string
	Partition int
	Offset    int64
	Key       []byte
	Value     []byte // not validated: may be empty or malformed
	Headers   []Header
	Time      time.Time // when it was written, to the millisecond

	window *window // nil if it was read without a consumer
	seq    int64   // its number in the window
}

// Ack acknowledges the message. Its offset is committed once all messages before it in its
// partition are acknowledged too. It may be called from any goroutine and does not block. A
// second call does nothing, nor does one after the partition was revoked.
func (m *Message) Ack() {
	if m.window != nil {
		m.window.ack(m.seq)
	}
}

// Header returns the value of the first header of that name, "" if there is none.
func (m *Message) Header(key string) string {
	for _, h := range m.Headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}
