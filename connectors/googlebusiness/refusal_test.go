package googlebusiness

import (
	"net/http"
	"testing"

	"crier/connectors/simulators/connectortest"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// A photo that Google could not fetch for the moment is no end of the post; another 400 is
// (developers.google.com/my-business/reference/rest/Shared.Types/ErrorCode).
func TestAPhotoThatCouldNotBeFetched(t *testing.T) {
	for detail, want := range map[string]schema.ErrorKind{
		`{"code":"PHOTO_FETCH_FAILED","field":"media.source_url","message":"Fetch photo from the specified URL failed."}`:   schema.Retryable,
		`{"code":"PHOTO_UPLOAD_FAILED","field":"media.source_url","message":"Upload photo from the specified URL failed."}`: schema.Retryable,
		`{"code":1000,"field":"media.source_url","message":"Fetch photo from the specified URL failed."}`:                   schema.Retryable,
		`{"code":3,"field":"summary","message":"is too long"}`:                                                              schema.Refused,
	} {
		r := newRig(t)
		r.Inject(t, simulation.Fault{Operation: opCreatePost, Status: http.StatusBadRequest, Body: `{"error":{"code":400,"message":"Request contains an invalid argument.",` +
			`"status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.mybusiness.v4.ValidationError","errorDetails":[` + detail + `]}]}}`})
		_, err := r.Publish(t.Context(), r.delivery(t, "look", ""))
		connectortest.WantKind(t, err, want)
	}
}
