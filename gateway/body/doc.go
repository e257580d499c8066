// Package body reads what requests say: bodies of strict JSON as forms of fields, queries as
// parameters. A report gathers all that is wrong with one at once, each with its field; what
// nobody asked for is ignored and named in a warning.
//
//	bytes → ParseForm → Form.Text, List, Child … → Finish → Report.Err
package body
