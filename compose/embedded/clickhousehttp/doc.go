// Package clickhousehttp serves ClickHouse's HTTP interface from an engine inside the
// process, as far as clickhouse-go uses it, so that the same client code works with the
// embedded engine and with a real server.
//
//	request → authenticated → statement → session → engine
//	                                         │
//	                       a few connections to the engine, each of
//	                       which runs one statement at a time
//
// A request's database and settings are put on the session before the statement and
// taken off after it. The body of an INSERT is spooled to a file, because the engine
// reads Native data from files only. The interface is described at
// clickhouse.com/docs/interfaces/http.
package clickhousehttp
