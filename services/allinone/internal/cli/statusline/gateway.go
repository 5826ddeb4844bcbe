package statusline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/pkg/apikey"
)

// gateway is the gateway that Claude Code uses.
type gateway struct{ baseURL, key string }

// findGateway reads the variables of Claude Code, which its status line command inherits. A key
// of another service is not used.
func findGateway(environ []string) (gateway, error) {
	var g gateway
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case name == "ANTHROPIC_BASE_URL":
			g.baseURL = strings.TrimRight(value, "/")
		case (name == "ANTHROPIC_AUTH_TOKEN" || name == "ANTHROPIC_API_KEY") && apikey.IsValid(value):
			g.key = value
		}
	}
	if g.baseURL == "" || g.key == "" {
		return gateway{}, errors.New("not connected; run signalbox connect claude")
	}
	return g, nil
}

// client follows no redirects, because they could lead the key elsewhere.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// fetchTotals returns the totals of a session so far.
func (g gateway) fetchTotals(ctx context.Context, session string) (totals, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.baseURL+"/v1/session?id="+url.QueryEscape(session), nil)
	if err != nil {
		return totals{}, errors.New("ANTHROPIC_BASE_URL is not a URL")
	}
	req.Header.Set("Authorization", "Bearer "+g.key)
	res, err := client.Do(req)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return totals{}, errors.New("the gateway did not respond in time")
	case err != nil:
		return totals{}, errors.New("the gateway cannot be reached")
	}
	defer func() { _ = res.Body.Close() }()
	return decodeTotals(res)
}

func decodeTotals(res *http.Response) (t totals, err error) {
	switch res.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return t, errors.New("no requests in this session yet")
	case http.StatusUnauthorized:
		return t, errors.New("the key is invalid, expired or revoked")
	default:
		return t, fmt.Errorf("the gateway responded with status %d", res.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxBytes)).Decode(&t); err != nil {
		return t, errors.New("the gateway sent no session")
	}
	return t, nil
}
