package embedded

// RetentionEvery is how long a test must wait to see retention at work.
const RetentionEvery = retentionEvery

// TrySocket returns why PostgreSQL cannot listen on a Unix socket in a folder.
var TrySocket = trySocket
