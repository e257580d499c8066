package reference

// Problem is a code of the API's errors, an outcome (a code by which what was accepted fails later, or waits), or a
// detail (a code of what is wrong with one field, or worth a warning). Its page says what it means.
type Problem struct {
	Status  int // of HTTP; zero for an outcome and a detail
	Code    string
	Meaning string
	Remedy  string // what the sender of the request can do
	Retry   string // whether sending the same request again helps; empty for an outcome and a detail
}

// Whether sending the same request again helps.
const (
	RetryNever = "No: the same request gets the same response."
	RetryLater = "It may, after a moment."
	RetryAfter = "Yes, once the seconds in Retry-After have passed."
)

// Problems are all codes that the API has.
type Problems struct{ Errors, Outcomes, Details []Problem }
