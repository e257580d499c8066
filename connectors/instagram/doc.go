// Package instagram says what Instagram takes, so that a post is checked when it is
// made rather than when it is due. The limits are those of Instagram's content
// publishing API (developers.facebook.com/docs/instagram-platform/content-publishing).
package instagram
