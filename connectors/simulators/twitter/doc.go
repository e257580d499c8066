// Package twitter is X in small, on a simulated world. What it knows of X it has from X's
// documents, nothing from the connector it is to judge: a misreading of one is then no
// misreading of both.
//
// What the documents leave open, it does as people report of X. Where they leave open
// whether an app may reply to the account's own posts, it has both readings: New takes such
// a reply, NewInviteOnly refuses it, and New does for a text with [crier:uninvited].
package twitter
