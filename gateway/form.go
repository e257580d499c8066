package gateway

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"crier/schema"
)

// maxDetails bounds what an answer says about a hopeless request.
const maxDetails = 100

// The codes of what is wrong with one field, apart from those of validation.
const (
	codeRequired     = "required"
	codeInvalidType  = "invalid_type"
	codeInvalidValue = "invalid_value"
	codeInvalidURL   = "url_invalid"
	codeTooLong      = "too_long"
	codeTooMany      = "too_many"
	codeConflict     = "conflict"
	codeUnknownField = "unknown_field"
)

// report gathers all that is wrong with a request, or worth a warning.
type report struct {
	body     []byte // to tell lines and columns
	errors   []schema.Detail
	warnings []schema.Detail
	fault    error // why the request could not be judged
}

// about tells whether a field, or one inside of it, has failed.
func (r *report) about(field string) bool { return about(r.errors, field) }

func about(details []schema.Detail, field string) bool {
	return slices.ContainsFunc(details, func(d schema.Detail) bool {
		rest, ok := strings.CutPrefix(d.Field, field)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

func (r *report) fail(field, code, message string) {
	r.add(schema.Detail{Field: field, Code: code, Message: message})
}

// add adds what is wrong, as long as there is room for it.
func (r *report) add(d schema.Detail) {
	if len(r.errors) < maxDetails {
		r.errors = append(r.errors, d)
	}
}

func (r *report) warn(field, code, message string) {
	if len(r.warnings) < maxDetails {
		r.warnings = append(r.warnings, schema.Detail{Field: field, Code: code, Message: message})
	}
}

// err returns the validation error of everything that failed, nil if nothing did.
// Before it comes a fault, for then nothing is known of the request.
func (r *report) err() error {
	switch {
	case r.fault != nil:
		return r.fault
	case len(r.errors) == 0:
		return nil
	default:
		return schema.InvalidDetails(r.errors)
	}
}

// merge takes over what another report found.
func (r *report) merge(other *report) {
	r.errors = append(r.errors, other.errors...)
	r.warnings = append(r.warnings, other.warnings...)
}

// form reads the fields of a JSON object, strictly: a value of another type fails, null
// is the same as absent, and what nobody asked for is named by finish.
type form struct {
	report *report
	parent string // the field the object stands in, such as platforms; empty for the body
	item   int    // its index where that field is a list, notListed where it is not
	object value
}

// notListed is the item of a form that stands in a field by itself.
const notListed = -1

// newForm takes the body of a request, which has to be an object.
func newForm(root value, r *report) *form {
	f := &form{report: r, object: root}
	if root.kind != object {
		r.fail("body", codeInvalidType, r.wrong(root, object))
	}
	return f
}

// child returns the form of an object that is an item of this one's list of that name;
// ok is false if it is none.
func (f *form) child(v value, list string, i int) (child form, ok bool) {
	if v.kind != object {
		f.fail(indexed(list, i), codeInvalidType, f.report.wrong(v, object))
		return form{}, false
	}
	return form{report: f.report, parent: f.name(list), item: i, object: v}, true
}

// inner returns the form of an object that is a field of this one; ok is false if there
// is none.
func (f *form) inner(name string) (inner form, ok bool) {
	v, ok := f.typed(name, object)
	return form{report: f.report, parent: f.name(name), item: notListed, object: v}, ok
}

// name returns how a request's sender calls a field, such as platforms[2].content.
func (f *form) name(field string) string {
	switch {
	case f.parent == "":
		return field
	case f.item == notListed:
		return f.parent + "." + field
	}
	return indexed(f.parent, f.item) + "." + field
}

// finish warns of the fields that nobody asked for.
func (f *form) finish() {
	for i := range f.object.members {
		if m := &f.object.members[i]; !m.asked {
			f.report.warn(f.name(clip(m.name)), codeUnknownField, "this field is not known and was ignored")
		}
	}
}

// find returns a field that is there and not null, whatever its type.
func (f *form) find(name string) (value, bool) {
	for i := range f.object.members {
		if m := &f.object.members[i]; m.name == name {
			m.asked = true
			return m.value, m.value.kind != null
		}
	}
	return value{}, false
}

// isNull tells whether a field is there and null, for fields that null clears.
func (f *form) isNull(name string) bool {
	for i := range f.object.members {
		if m := &f.object.members[i]; m.name == name && m.value.kind == null {
			m.asked = true
			return true
		}
	}
	return false
}

func (f *form) typed(name string, want kind) (value, bool) {
	v, ok := f.find(name)
	if !ok {
		return value{}, false
	}
	if v.kind != want {
		f.fail(name, codeInvalidType, f.report.wrong(v, want))
		return value{}, false
	}
	return v, true
}

// text returns a string of at most the given bytes.
func (f *form) text(name string, most int) (string, bool) {
	v, ok := f.typed(name, text)
	if ok && len(v.text) > most {
		f.fail(name, codeTooLong, fmt.Sprintf("must be at most %d bytes long, not %d", most, len(v.text)))
		return "", false
	}
	return v.text, ok
}

func (f *form) boolean(name string) (truth, ok bool) {
	v, ok := f.typed(name, boolean)
	return v.truth, ok
}

// exact is up to where a double holds every whole number.
const exact = 1 << 53

// integer returns a whole number, however it is written: 10.0 is one, as in JSON Schema.
func (f *form) integer(name string) (int, bool) {
	v, ok := f.typed(name, number)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(v.text, 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > exact {
		f.fail(name, codeInvalidValue, "must be a whole number, not "+clip(v.text))
		return 0, false
	}
	return int(n), true
}

// decimal returns a number that may have a fraction.
func (f *form) decimal(name string) (float64, bool) {
	v, ok := f.typed(name, number)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(v.text, 64)
	if err != nil {
		f.fail(name, codeInvalidValue, "must be a number within the range of a double, not "+clip(v.text))
		return 0, false
	}
	return n, true
}

// list returns an array of at most the given items.
func (f *form) list(name string, most int) ([]value, bool) {
	v, ok := f.typed(name, list)
	if ok && len(v.items) > most {
		f.fail(name, codeTooMany, fmt.Sprintf("must have at most %d items, not %d", most, len(v.items)))
		return nil, false
	}
	return v.items, ok
}

func (f *form) members(name string) ([]member, bool) {
	v, ok := f.typed(name, object)
	return v.members, ok
}

func (f *form) fail(name, code, message string) { f.report.fail(f.name(name), code, message) }

// wrong says which type was wanted and where another one stands.
func (r *report) wrong(got value, want kind) string {
	line, column := place(r.body, int(got.offset))
	return fmt.Sprintf("must be %s, not %s (line %d, column %d)",
		kindNames[want], kindNames[got.kind], line, column)
}

// require fails a field that is not there. One that is there but wrong has failed
// already.
func (f *form) require(name string) {
	if _, there := f.find(name); !there {
		f.fail(name, codeRequired, "this field is required")
	}
}
