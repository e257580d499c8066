// Package facebook is Facebook in small: the part of its Graph API that publishes to pages
// (developers.facebook.com/docs: pages-api, video-api/guides, page-stories-api,
// graph-api/overview/rate-limiting). It follows the documents, not the connector.
//
// A token is a page's, except for one that begins with "user-" or that a consent gives: it is a
// person's, who may publish on two pages and has a task on a third.
package facebook
