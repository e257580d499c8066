// Package body reads what requests say: bodies of strict JSON as forms of fields, queries
// as parameters. A report gathers everything that is wrong with a request, each with its
// field; unknown fields are ignored and named in a warning.
//
//	bytes → ParseForm → Form.Text, List, Child … → Finish → Report.Err
package body
