package reference

// Problem is a code of the API's errors, with what its page says.
type Problem struct {
	Status  int // of HTTP
	Code    string
	Meaning string
	Remedy  string // what the sender of the request can do
	Retry   string // whether sending the same request again helps
}

// Whether sending the same request again helps.
const (
	RetryNever = "No: the same request gets the same answer."
	RetryLater = "It may, after a moment."
	RetryAfter = "Yes, once the seconds in Retry-After have passed."
)
