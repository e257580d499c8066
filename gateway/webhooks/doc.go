// Package webhooks is the resource of webhooks, with what was delivered to them and sending
// it again, and of the events that they deliver.
package webhooks
