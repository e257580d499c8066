// Package pinterest says what Pinterest takes, so that a post is checked when it is
// made rather than when it is due. The limits are those of Pinterest's API v5
// (developers.pinterest.com/docs/api/v5/pins-create).
package pinterest
