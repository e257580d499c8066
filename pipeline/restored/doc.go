// Package restored finds out what became of the posts that a restore holds, in the background, while
// new ones go out: nobody has to ask for it, and a person decides on what it has found.
//
//	Events  what ClickHouse has of the time after the backup: cancelled, edited, published, failed;
//	        accounts that were disconnected
//	Looks   one listing of each account where its platform has one, from the backup until now
package restored
