package reference

// Problem is a code of the API's errors, or an outcome: a code by which what was accepted
// fails later. Its page says what it means.
type Problem struct {
	Status  int // of HTTP; zero for an outcome
	Code    string
	Meaning string
	Remedy  string // what the sender of the request can do
	Retry   string // whether sending the same request again helps; empty for an outcome
}

// Whether sending the same request again helps.
const (
	RetryNever = "No: the same request gets the same answer."
	RetryLater = "It may, after a moment."
	RetryAfter = "Yes, once the seconds in Retry-After have passed."
)
