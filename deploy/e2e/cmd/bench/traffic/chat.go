package traffic

import (
	"context"
	"net/http"
	"strings"
)

// PostChat sends a chat request to a proxy through net/http. The caller closes the body.
func PostChat(ctx context.Context, client *http.Client, edge, key, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+edge+"/proxy/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	return client.Do(req)
}
