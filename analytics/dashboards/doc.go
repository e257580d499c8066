// Package dashboards serves the views of ClickHouse over HTTP, by name, to who has the token:
// for dashboards beside an embedded ClickHouse, which knows no users, and whose SQL can read
// files and addresses and so must come from nobody.
package dashboards
