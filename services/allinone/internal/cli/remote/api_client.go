package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// isURL reports whether --server is the URL of a dashboard instead of a HOST:PORT.
func isURL(server string) bool {
	return strings.HasPrefix(server, "http://") || strings.HasPrefix(server, "https://")
}

// usesToken reports whether the command calls the dashboard's API with a token.
func (o *Command) usesToken() bool { return isURL(o.server) }

// UsesToken reports whether the command calls the dashboard's API with a token. The
// dashboard then records the changes in the audit log.
func (o *Command) UsesToken() bool { return o.usesToken() }

// checkToken returns an error if --server and --token do not go together.
func (o *Command) checkToken() error {
	if !o.usesToken() {
		if o.token != "" {
			return errors.New("--token and SIGNALBOX_API_TOKEN need --server with the URL of the dashboard, such as https://signalbox.example.com")
		}
		return nil
	}
	u, err := url.Parse(o.server)
	switch {
	case err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "":
		return fmt.Errorf("--server=%q: must be an origin such as https://signalbox.example.com", cli.Sanitize(o.server))
	case o.token == "":
		return errors.New("--server with a URL needs --token or SIGNALBOX_API_TOKEN; create one with signalbox tokens create")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return errors.New("--server must start with https://, because the token is a secret; plain http works only on this machine")
	}
	o.server = u.Scheme + "://" + u.Host
	return nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// newAPIRequest returns a request to the dashboard with the token.
func (o *Command) newAPIRequest(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, o.server+"/api/v1"+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+o.token.Reveal())
	return req, nil
}

// newAPIHTTPClient follows no redirects, so that the token goes to no other address.
func newAPIHTTPClient() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// apiConn serves the calls to keyauth and the router over the dashboard's API. apiCalls
// lists those that exist.
type apiConn struct {
	command *Command
	http    *http.Client
}

// Invoke implements grpc.ClientConnInterface.
func (c *apiConn) Invoke(ctx context.Context, method string, args, reply any, _ ...grpc.CallOption) error {
	call, ok := apiCalls[method]
	if !ok {
		return errors.New("API tokens cannot do this; run the command on the machine of the service with --data, or use the operator's certificate")
	}
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	return call(ctx, c, args, reply)
}

// NewStream implements grpc.ClientConnInterface. No command needs a stream.
func (c *apiConn) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, errors.New("API tokens cannot open streams")
}

// call sends body as JSON, unless it is nil, and decodes the response into out.
func (c *apiConn) call(ctx context.Context, method, path string, body, out any) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	req, err := c.command.newAPIRequest(ctx, method, path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return &cli.UnreachableError{Text: fmt.Sprintf("the dashboard at %s cannot be reached: %v", c.command.server, err)}
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode >= http.StatusMultipleChoices {
		return decodeAPIError(resp)
	}
	if out == nil || resp.StatusCode == http.StatusNoContent {
		return nil
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxResponseBytes)).Decode(out); err != nil {
		return fmt.Errorf("decode the dashboard's response: %w", err)
	}
	return nil
}

func decodeAPIError(resp *http.Response) error {
	var e struct {
		Error   string         `json:"error"`
		Code    string         `json:"code"`
		Details map[string]any `json:"details"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxResponseBytes)).Decode(&e); err != nil || e.Code == "" {
		return fmt.Errorf("the dashboard responded with %s", resp.Status)
	}
	return &apperr.Error{Code: apperr.Code(e.Code), Message: cli.Sanitize(e.Error), Details: e.Details}
}
