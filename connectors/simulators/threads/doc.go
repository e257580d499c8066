// Package threads is the Threads API in small, on a simulated world. What it knows of
// Threads it has from Meta's documents, nothing from the connector it is to judge.
package threads
