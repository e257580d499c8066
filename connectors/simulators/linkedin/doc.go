// Package linkedin is LinkedIn in small: its API of posts, media, comments and organizations
// (learn.microsoft.com/linkedin/marketing/community-management), and its tokens. It follows
// the documents, not the connector.
//
// Every token is a member's, who administers two organizations: see Organizations.
package linkedin
