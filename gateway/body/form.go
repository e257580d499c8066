package body

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"crier/schema"
	"crier/schema/spelling"
)

// maxDetails bounds the errors, and the warnings, of one answer.
const maxDetails = 100

// The codes of what is wrong with one field, apart from those of validation.
const (
	CodeRequired     = "required"
	CodeInvalidType  = "invalid_type"
	CodeInvalidValue = "invalid_value"
	CodeInvalidURL   = "url_invalid"
	CodeTooLong      = "too_long"
	CodeTooMany      = "too_many"
	CodeConflict     = "conflict"
	CodeUnknownField = "unknown_field"
)

// Report gathers all that is wrong with a request, or worth a warning.
type Report struct {
	Body     []byte // to tell lines and columns
	Errors   []schema.Detail
	Warnings []schema.Detail
	Fault    error // why the request could not be checked
}

// About reports whether a field, or one inside of it, has failed.
func (r *Report) About(field string) bool { return About(r.Errors, field) }

// About reports whether any of the details is about a field, or one inside of it.
func About(details []schema.Detail, field string) bool {
	return slices.ContainsFunc(details, func(d schema.Detail) bool {
		rest, ok := strings.CutPrefix(d.Field, field)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// Fail adds what is wrong with a field.
func (r *Report) Fail(field, code, message string) {
	r.Add(schema.Detail{Field: field, Code: code, Message: message})
}

// Add adds an error, up to maxDetails.
func (r *Report) Add(d schema.Detail) {
	if len(r.Errors) < maxDetails {
		r.Errors = append(r.Errors, d)
	}
}

// Warn adds a warning about something that may not have been meant.
func (r *Report) Warn(field, code, message string) {
	if len(r.Warnings) < maxDetails {
		r.Warnings = append(r.Warnings, schema.Detail{Field: field, Code: code, Message: message})
	}
}

// ignored is what the warning about something that is not known says of it.
const ignored = " and was ignored"

// WarnUnknown adds a warning about a field, or whatever it is, that is not known. Hint may say
// which one is meant.
func (r *Report) WarnUnknown(field, what, hint string) {
	r.Warn(field, CodeUnknownField, "this "+what+" is not known"+ignored+hint)
}

// Err returns the fault if there is one, since then the request was not checked; else the
// validation error of everything that failed, or nil. Fields that are not known are told with
// it: one that is misspelt is often why another is missing.
func (r *Report) Err() error {
	switch {
	case r.Fault != nil:
		return r.Fault
	case len(r.Errors) == 0:
		return nil
	default:
		return schema.InvalidDetails(r.withUnknown(r.Errors))
	}
}

// Refused returns the error of a request that was read and then refused, with the fields that are
// not known: one that is misspelt may be what it needed.
func (r *Report) Refused(err error) error {
	e, ok := errors.AsType[*schema.Error](err)
	if !ok {
		return err
	}
	complete := *e
	complete.Details = r.withUnknown(e.Details)
	return &complete
}

// withUnknown adds the fields that are not known to what is wrong.
func (r *Report) withUnknown(details []schema.Detail) []schema.Detail {
	details = slices.Clone(details)
	for _, w := range r.Warnings {
		if w.Code == CodeUnknownField && len(details) < maxDetails {
			w.Message = strings.Replace(w.Message, ignored, "", 1) // nothing was done that could ignore it
			details = append(details, w)
		}
	}
	return details
}

// Merge takes over what another report found.
func (r *Report) Merge(other *Report) {
	r.Errors = append(r.Errors, other.Errors...)
	r.Warnings = append(r.Warnings, other.Warnings...)
}

// Form reads the fields of a JSON object strictly: a value of another type fails, null too unless
// IsNull has allowed it, and NoteUnread warns of fields that were not read.
type Form struct {
	Report *Report
	// Judge returns, of a form whose fields were read, what says why one that is not known fails: words that
	// end its message, empty where it is ignored with a warning. The forms of inner objects take it over;
	// nil: every field is ignored.
	Judge  func(f *Form) func(unknown Member) string
	parent string // the field that holds the object, such as platforms; empty for the body
	item   int    // its index where that field is a list, notListed where it is not
	Object Value
	// missing are the fields that the object may have and does not, as far as they were looked for: one that is
	// not known may be one of them.
	missing []string
}

// notListed is the item of a form that is not in a list.
const notListed = -1

// NewForm returns the form of a request's body, and reports one that is not an object.
func NewForm(root Value, r *Report) *Form {
	f := &Form{Report: r, Object: root}
	if root.Kind != Object {
		r.Fail("body", CodeInvalidType, r.Wrong(root, Object))
	}
	return f
}

// Child returns the form of item i of a list in this one; ok is false if the item is not
// an object.
func (f *Form) Child(v Value, list string, i int) (child Form, ok bool) {
	if v.Kind != Object {
		f.Fail(Indexed(list, i), CodeInvalidType, f.Report.Wrong(v, Object))
		return Form{}, false
	}
	return Form{Report: f.Report, Judge: f.Judge, parent: f.Name(list), item: i, Object: v}, true
}

// Inner returns the form of an object in a field of this one; ok is false if there is
// none.
func (f *Form) Inner(name string) (inner Form, ok bool) {
	v, ok := f.typed(name, Object)
	return Form{Report: f.Report, Judge: f.Judge, parent: f.Name(name), item: notListed, Object: v}, ok
}

// Name returns how a request's sender calls a field, such as platforms[2].content.
func (f *Form) Name(field string) string {
	switch {
	case f.parent == "":
		return field
	case f.item == notListed:
		return f.parent + "." + field
	}
	return Indexed(f.parent, f.item) + "." + field
}

// Finish ends the form of a request: it notes what was not read, and returns the error of everything that failed.
func (f *Form) Finish() error {
	f.NoteUnread()
	return f.Report.Err()
}

// NoteUnread warns of the fields that were not read, and fails those that Judge refuses.
func (f *Form) NoteUnread() {
	var judge func(Member) string
	for i := range f.Object.Members {
		m := &f.Object.Members[i]
		if m.read {
			continue
		}
		if judge == nil {
			judge = f.judge() // once: what it knows of a form takes as long as the form is
		}
		if why := judge(*m); why != "" {
			f.Fail(Clip(m.Name), CodeUnknownField, "this field is not known; "+why)
			continue
		}
		f.Report.WarnUnknown(f.Name(Clip(m.Name)), "field", spelling.DidYouMean(m.Name, f.missing))
	}
}

func (f *Form) judge() func(Member) string {
	if f.Judge == nil {
		return func(Member) string { return "" }
	}
	return f.Judge(f)
}

// Known returns the names of the fields that were looked for so far.
func (f *Form) Known() []string {
	known := slices.Clone(f.missing)
	for _, m := range f.Object.Members {
		if m.read {
			known = append(known, m.Name)
		}
	}
	return known
}

// Find returns a field that is present, of any type.
func (f *Form) Find(name string) (Value, bool) {
	m := f.member(name)
	if m == nil {
		if f.missing == nil {
			f.missing = make([]string, 0, usualNames)
		}
		f.missing = append(f.missing, name)
	}
	if m == nil || m.cleared {
		return Value{}, false
	}
	m.read = true
	return m.Value, true
}

// IsNull reports whether a field is present and null. From then on it counts as absent: it is for
// fields that null clears, before they are read.
func (f *Form) IsNull(name string) bool {
	m := f.member(name)
	if m == nil || m.Value.Kind != Null {
		return false
	}
	m.read, m.cleared = true, true
	return true
}

func (f *Form) member(name string) *Member {
	for i := range f.Object.Members {
		if m := &f.Object.Members[i]; m.Name == name {
			return m
		}
	}
	return nil
}

func (f *Form) typed(name string, want Kind) (Value, bool) {
	v, ok := f.Find(name)
	if !ok {
		return Value{}, false
	}
	if v.Kind != want {
		f.Fail(name, CodeInvalidType, f.Report.Wrong(v, want))
		return Value{}, false
	}
	return v, true
}

// Text returns a string of at most the given bytes.
func (f *Form) Text(name string, maximum int) (string, bool) {
	v, ok := f.typed(name, Text)
	if ok && len(v.Text) > maximum {
		f.Fail(name, CodeTooLong, fmt.Sprintf("must be at most %d bytes long, not %d", maximum, len(v.Text)))
		return "", false
	}
	return v.Text, ok
}

// Prose returns a text that people write. Its lines end with LF, whatever they were written on.
func (f *Form) Prose(name string, maximum int) (string, bool) {
	text, ok := f.Text(name, maximum)
	return schema.UnixLines(text), ok
}

// Pasted returns a text that people copy from somewhere, such as a handle, without the blanks around it
// and the invisible signs that pages and chats put into it.
func (f *Form) Pasted(name string, maximum int) (string, bool) {
	text, ok := f.Text(name, maximum)
	return schema.Pasted(text), ok
}

// Boolean returns a field that is true or false.
func (f *Form) Boolean(name string) (truth, ok bool) {
	v, ok := f.typed(name, boolean)
	return v.truth, ok
}

// exact is up to where a double holds every whole number.
const exact = 1 << 53

// Integer returns a whole number, however it is written: 10.0 is one, as in JSON Schema.
func (f *Form) Integer(name string) (int, bool) {
	v, ok := f.typed(name, Number)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(v.Text, 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > exact {
		f.Fail(name, CodeInvalidValue, "must be a whole number, not "+Clip(v.Text))
		return 0, false
	}
	return int(n), true
}

// Decimal returns a number that may have a fraction.
func (f *Form) Decimal(name string) (float64, bool) {
	v, ok := f.typed(name, Number)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(v.Text, 64)
	if err != nil {
		f.Fail(name, CodeInvalidValue, "must be a number within the range of a double, not "+Clip(v.Text))
		return 0, false
	}
	return n, true
}

// List returns an array of at most the given items.
func (f *Form) List(name string, maximum int) ([]Value, bool) {
	v, ok := f.typed(name, list)
	if ok && len(v.Items) > maximum {
		f.Fail(name, CodeTooMany, fmt.Sprintf("must have at most %d items, not %d", maximum, len(v.Items)))
		return nil, false
	}
	return v.Items, ok
}

// Members returns the fields of an object whose names are the sender's own.
func (f *Form) Members(name string) ([]Member, bool) {
	v, ok := f.typed(name, Object)
	return v.Members, ok
}

// Fail adds what is wrong with a field of the form.
func (f *Form) Fail(name, code, message string) { f.Report.Fail(f.Name(name), code, message) }

// Wrong returns a message with the wanted type, the one that was found, and its line and
// column.
func (r *Report) Wrong(got Value, want Kind) string {
	line, column := place(r.Body, int(got.offset))
	message := fmt.Sprintf("must be %s, not %s (line %d, column %d)", kindNames[want], kindNames[got.Kind], line, column)
	if got.Kind == Null {
		message += "; leave the field out instead"
	}
	return message
}

// Require fails a field that is absent. One that is present but wrong, or null, has failed already.
func (f *Form) Require(name string) {
	if _, there := f.Find(name); !there {
		f.Fail(name, CodeRequired, "this field is required")
	}
}
