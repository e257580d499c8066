// Package secure makes TLS settings of the files that an operator names, and says what the
// errors of a secured connection mean, in words that name the flag to look at.
package secure
