package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// logIn returns the session cookie of a person of acme, as "name=value".
func logIn(ctx context.Context, origin string) (string, error) {
	form := url.Values{"email": {acmeEmail}, "password": {demoPassword}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, origin+"/login", strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultTransport.RoundTrip(request) // a client would follow the redirect
	if err != nil {
		return "", fmt.Errorf("log in: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusSeeOther || len(response.Cookies()) == 0 {
		return "", fmt.Errorf("log in: %s", response.Status)
	}
	cookie := response.Cookies()[0]
	return cookie.Name + "=" + cookie.Value, nil
}
