// Package console is the command line for those who post: it calls the REST API by the Go
// client, on this machine or another, with the server and key that crier login keeps.
//
//	crier login prod --url https://crier.example     profiles.json, for its owner alone
//	crier posts create "Good morning" --to mastodon  client.Posts.Create
//	crier webhooks listen                            a receiver here, a webhook there
//	crier status                                     /metrics and /readyz of the admin listener
//
// What is for people goes to a terminal as tables; --json is for programs, an object a line.
package console
