package embedded

// RetentionEvery is how long a test must wait to see retention at work.
const RetentionEvery = retentionEvery

// TrySocket returns why PostgreSQL cannot listen on a Unix socket in a folder.
var TrySocket = trySocket

// OnPort starts a part on its port.
func (d *Data) OnPort(part string, start func(port int) error) error { return d.onPort(part, start) }
