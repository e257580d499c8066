// Package postgrestest is the fixture of the tests of schema/postgres: a database with a workspace and the stores on
// it, and the steps that tests of several packages take with them.
package postgrestest
