package googlebusiness

import (
	"net/http"
	"slices"

	"crier/connectors"
	"crier/connectors/google"
	"crier/schema"
)

// answers is what Google's refusals mean. That somebody may not do something is of the location: its owners
// have taken the person off it, or the token is not theirs. It does not say which.
func answers() connectors.Answers {
	const notFound = `{"error":{"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND"}}`
	own := []connectors.Answer{
		{ // the address worked when the post was prepared
			Status: []int{http.StatusBadRequest}, Codes: []string{"PHOTO_FETCH_FAILED", "PHOTO_UPLOAD_FAILED", "1000-1099"},
			Means:   connectors.IsRetried,
			Source:  "developers.google.com/my-business/reference/rest/Shared.Types/ErrorCode",
			Example: `{"error":{"code":400,"status":"INVALID_ARGUMENT","details":[{"errorDetails":[{"code":"PHOTO_FETCH_FAILED","message":"m"}]}]}}`,
		},
		{ // these name nothing but the location
			Operations: []string{opLocation, opCreatePost}, Status: []int{http.StatusNotFound}, Own: true,
			Means: connectors.EndsAccount, End: schema.EndDeleted, Source: "gitroomhq/postiz-app gmb.provider.ts",
			Example: notFound,
		},
	}
	denied := connectors.Answer{
		Status: []int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound}, Codes: []string{"PERMISSION_DENIED"},
		Means:   connectors.ChecksAccount,
		Source:  "gitroomhq/postiz-app gmb.provider.ts",
		Example: `{"error":{"code":403,"message":"The caller does not have permission","status":"PERMISSION_DENIED"}}`,
	}
	return connectors.Answers{Read: google.Read, Table: slices.Concat(own, google.Answers(), []connectors.Answer{denied})}
}

// errTakenDown is what becomes of a post that was live.
func errTakenDown() *schema.Error {
	return connectors.Refuse("Google has taken the post down after it was shown, for its content, and says no more about it")
}

// errRejected is what becomes of a post that Google does not show. It gives no reason.
func errRejected() *schema.Error {
	return connectors.Refuse("Google has rejected the post for its content, and says no more about it " +
		"(phone numbers in the text are a usual reason)")
}
