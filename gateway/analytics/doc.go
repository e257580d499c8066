// Package analytics is the resource of figures about posts.
package analytics
