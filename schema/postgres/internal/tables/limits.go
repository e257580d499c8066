package tables

// MaxTotal is how far the rows of a list are counted.
const MaxTotal = 10_000

// HistoryChunk is how many rows of a history a transaction deletes, so that none is long.
const HistoryChunk = 5000
