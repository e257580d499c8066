// Package page reads what pages say of themselves for previews: a title, a description and a picture, as
// Open Graph (ogp.me), X's cards and HTML itself name them.
//
//	Read → kept?  → that
//	     → slot of the pool → one request at a time for each address, through package egress
//	                        → head: the tokens of HTML, as far as they are needed
//	                        → picture: made to fit by package media
//
// A page is somebody else's: it has a bounded time and size, and what goes wrong with it is no error, since
// what links to it is published without a preview then.
package page
