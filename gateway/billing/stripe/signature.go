package stripe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"crier/schema/wording"
)

// tolerance is how far a notice's time may be from now; Stripe's libraries allow as much,
// and a notice that is sent again is signed again (docs.stripe.com/webhooks).
const tolerance = 5 * time.Minute

// checkSignature checks "t=TIME,v1=SIGNATURE[,v1=…]": each v1 is the HMAC-SHA256 of the
// time in seconds, a period and the body, in hex; there are several while a secret is being
// rolled (docs.stripe.com/webhooks#verify-manually).
func (s *Client) checkSignature(header string, body []byte) error {
	stamp, signatures := splitSignature(header)
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return errors.New("must be t=TIME,v1=SIGNATURE")
	}
	if age := s.config.Now().Sub(time.Unix(seconds, 0)); age.Abs() > tolerance {
		return fmt.Errorf("was made more than %s from now", wording.Duration(tolerance))
	}
	mac := hmac.New(sha256.New, []byte(s.config.WebhookSecret))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	want := mac.Sum(nil)
	for _, signature := range signatures {
		if got, err := hex.DecodeString(signature); err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return errors.New("is not this body's")
}

func splitSignature(header string) (stamp string, signatures []string) {
	for part := range strings.SplitSeq(header, ",") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "t":
			stamp = value
		case "v1":
			signatures = append(signatures, value)
		}
	}
	return stamp, signatures
}
