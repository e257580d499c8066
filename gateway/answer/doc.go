// Package answer writes the API's responses: views as JSON, errors as an envelope with
// their code and the address of its page, the values that views are made of, and the
// pagination of lists. Failures.Fail is the only place where an error becomes a response.
package answer
