// Package answer makes what the API answers: views as JSON, errors as an envelope with their
// code and its page, the values that views are made of, and where a page stands in its list.
// Failures.Fail is the only place where an error becomes a response.
package answer
