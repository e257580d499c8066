package gatewaytest

import (
	"strings"
)

// AuditRows are the rows of a page of the audit log, as action, kind and name of the actor, name of the thing
// and its changes.
func (a *API) AuditRows(answered JSON) (rows []string) {
	all := answered.At("records")
	for i := range all.Len() {
		r := all.At(i)
		row := []string{r.At("action").Text(), r.At("actor", "kind").Text(), r.At("actor", "name").Text(), r.At("subject", "name").Text()}
		changes := r.At("changes")
		for n := range changes.Len() {
			row = append(row, changes.At(n, "field").Text()+": "+changes.At(n, "before").Text()+" → "+changes.At(n, "after").Text())
		}
		rows = append(rows, strings.Join(row, "; "))
	}
	return rows
}
