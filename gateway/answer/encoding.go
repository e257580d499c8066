package answer

import (
	"net/http"
	"strconv"
	"strings"
)

// PrefersGzip reports whether a body is to be sent compressed: its reader takes gzip, and would not rather have it as
// it is (RFC 9110, 12.5.3). Who takes neither gets it as it is.
func PrefersGzip(h http.Header) bool {
	weights := map[string]float64{}
	for element := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		coding, weight, _ := strings.Cut(element, ";")
		coding = strings.ToLower(strings.TrimSpace(coding))
		weights[strings.TrimPrefix(coding, "x-")] = weightOf(weight)
	}
	of := func(coding string) float64 {
		if weight, isNamed := weights[coding]; isNamed {
			return weight
		}
		return weights["*"]
	}
	return of("gzip") > 0 && of("gzip") >= of("identity")
}

// weightOf reads the parameter q, which is 1 where it is left out. Nothing is wanted at a weight that is none.
func weightOf(parameter string) float64 {
	text, hasWeight := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameter)), "q=")
	if !hasWeight {
		return 1
	}
	weight, err := strconv.ParseFloat(text, 64)
	if err != nil || !(0 <= weight && weight <= 1) { // NaN is neither
		return 0
	}
	return weight
}
