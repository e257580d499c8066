// Package client is the Go client of crier's REST API, generated from schema/openapi/openapi.yaml
// by make client. Start with New:
//
//	crier, err := client.New("http://127.0.0.1:8080", key)
//	answer, err := crier.CreatePostWithResponse(ctx, &client.CreatePostParams{IdempotencyKey: &id}, post)
//	if answer.JSON201 == nil {
//		return client.ErrorOf(answer.StatusCode(), answer.Body)
//	}
//
// A request with an Idempotency-Key may be sent again for a day, and has its effect once.
package client
