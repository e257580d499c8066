package embedded

// RetentionEvery is how long a test must wait to see retention at work.
const RetentionEvery = retentionEvery
