package machine

import (
	"time"

	"crier/schema"
)

// rules are the conditions that keep the promises to users, each of a statement or of a
// stage. A test switches one off to see that the simulation notices.
type rules struct {
	claimChecksVersion    bool // a message of an older version claims nothing
	claimChecksTime       bool // a target that waits is not claimed before its time
	postponeChecksVersion bool // a message of an older version puts nothing off
	finishChecksClaim     bool // a result of an older claim is not taken
	tokenNamesClaim       bool // a claim without an answer takes up what it claimed itself, nothing else
	openClaimIsLooked     bool // a visible call that was left open is looked for first
	lookTwice             bool // one look that finds nothing permits nothing
	looksUntilListed      bool // a list that may not show it yet permits nothing
	callChecksDeadline    bool // nothing is sent after the call's deadline
	jobLivesOn            bool // only the transaction that ends the post deletes its job
	everyFinishMoves      bool // a target that ends makes the job due for those that wait
	moveChecksStatus      bool // a late result moves no job of a post that is scheduled again
	firedChecksTime       bool // a job that was moved meanwhile stays as it is
	firedChecksVersion    bool // so does one that an edit has replaced
	recoverChecksNode     bool // only the claims of the node's own earlier life are over
	editChecksBegun       bool // what is being retried is not edited: part of it may be there
	lateReceiptsStay      bool // the receipt of a result that came too late is kept
	commentNeedsEntry     bool // comments of entries that are not published are skipped
	retryLooks            bool // a retry looks for what may be there
	cannotFindIsLeftOut   bool // where nobody can look, a retry needs to be told that a second post is accepted
	failedLookIsFree      bool // a look that could not look costs no try

	lease  time.Duration // of a claim for a visible call, or a look
	settle time.Duration // between a lease's end, or a look, and the next look
}

// sound returns the rules without a planted bug.
func sound() rules {
	return rules{
		claimChecksVersion: true, claimChecksTime: true, postponeChecksVersion: true, finishChecksClaim: true, openClaimIsLooked: true, tokenNamesClaim: true, lookTwice: true, looksUntilListed: true,
		callChecksDeadline: true, jobLivesOn: true, everyFinishMoves: true, moveChecksStatus: true, firedChecksTime: true, firedChecksVersion: true,
		recoverChecksNode: true, editChecksBegun: true, lateReceiptsStay: true, commentNeedsEntry: true, retryLooks: true,
		cannotFindIsLeftOut: true, failedLookIsFree: true,
		lease: schema.Lease, settle: schema.SettleTime,
	}
}
