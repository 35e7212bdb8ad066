package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"
)

// stripeTolerance is the maximum difference between the time of a signature and the server's time. It is the same in Standard Webhooks.
const stripeTolerance = 5 * time.Minute

// signedByStripe reports whether a Stripe-Signature header has a v1 signature of the body with the secret, made within the tolerance: see
// https://docs.stripe.com/webhooks/signature.
func signedByStripe(secret, header string, body []byte) bool {
	var at string
	var signatures [][]byte
	for part := range strings.SplitSeq(header, ",") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "t":
			at = value
		case "v1":
			if signature, err := hex.DecodeString(value); err == nil {
				signatures = append(signatures, signature)
			}
		}
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > stripeTolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write(slices.Concat([]byte(at+"."), body)) // never fails
	want := mac.Sum(nil)
	return slices.ContainsFunc(signatures, func(signature []byte) bool { return hmac.Equal(signature, want) })
}
