package securetest

// PlainText seals nothing, for tests that are not about secrets.
type PlainText struct{}

// SealText returns the text as it is.
func (PlainText) SealText(_, text string) ([]byte, error) { return []byte(text), nil }

// OpenText returns what SealText was given.
func (PlainText) OpenText(_ string, b []byte) (string, error) { return string(b), nil }
