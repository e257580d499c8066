// Package queues is the resource of queues: the slots of a week that posts are placed in,
// and which of the coming ones are free.
package queues
