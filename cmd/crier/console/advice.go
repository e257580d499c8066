package console

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"

	"crier/client"
)

// Advice says what to do about an error of the API's client where the error does not; else it
// is empty.
func Advice(err error) string {
	if refused, ok := errors.AsType[*client.Error](err); ok {
		switch {
		case refused.Code == client.CodeUnauthorized:
			return "The key is that of --key, CRIER_KEY or crier login, and of this server alone; on the server's machine crier keys create makes one."
		case refused.Code == "" && refused.Status == http.StatusNotFound:
			return "That is not crier's API: --url (CRIER_URL) names the address that crier serve has by --listen."
		}
		return ""
	}
	call, called := errors.AsType[*url.Error](err)
	dial, dialled := errors.AsType[*net.OpError](err)
	if called && dialled && dial.Op == "dial" && strings.Contains(call.URL, "/api/v1/") {
		return "Nobody was reached there: does crier serve run, and is it the address of --url (CRIER_URL), or of the profile?"
	}
	return ""
}
