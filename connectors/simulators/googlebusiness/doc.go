// Package googlebusiness is Google Business Profile in small: the local posts of mybusiness v4, the
// accounts of mybusinessaccountmanagement v1, the locations of mybusinessbusinessinformation v1,
// and Google's consents and tokens. It follows the documents, not the connector.
//
// Every token is a person's, who manages two locations: one by themselves, one in a group. See
// Locations.
package googlebusiness
