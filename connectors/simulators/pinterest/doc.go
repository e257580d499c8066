// Package pinterest is Pinterest in small: boards with sections, pins of pictures that it
// fetches, of videos that are uploaded, and of several pictures.
//
// It is written by Pinterest's OpenAPI description, 5.23.0, and developers.pinterest.com/docs.
package pinterest
