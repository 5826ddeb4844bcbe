package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/dashboard"
)

// maxResponseBytes limits a response that is read into memory.
const maxResponseBytes = 64 << 20

// ReplayTimeout is longer than the dashboard's own time limit for a replay.
const ReplayTimeout = 90 * time.Second

// connectDashboard opens one connection as a test, so that the user gets a clear error if no dashboard is running.
func (b *DashboardCommand) connectDashboard(ctx context.Context) error {
	if b.usesToken() {
		b.client = newAPIHTTPClient()
		return nil
	}
	path, err := filepath.Abs(dashboard.SocketPath(b.data))
	if err != nil {
		return fmt.Errorf("--data=%q: %w", b.data, err)
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}
	probe, err := dial(ctx, "", "")
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return &cli.UnreachableError{Text: "no running signalbox uses the data directory " + filepath.Dir(path) +
			": start one, or use --data to choose the directory of a dashboard that runs on this machine"}
	case err != nil:
		return &cli.UnreachableError{Text: fmt.Sprintf("cannot use the socket %s: %v", path, err)}
	}
	b.client = &http.Client{Transport: &http.Transport{DialContext: dial}}
	return probe.Close()
}

// Response is a response of the dashboard. With --json it is printed as it arrived, including fields that T lacks.
type Response[T any] struct {
	Value T
	raw   json.RawMessage
}

// UnmarshalJSON decodes the response and keeps its text.
func (r *Response[T]) UnmarshalJSON(text []byte) error {
	r.raw = bytes.Clone(text)
	return json.Unmarshal(text, &r.Value)
}

// MarshalJSON returns the text of the response.
func (r Response[T]) MarshalJSON() ([]byte, error) { return r.raw, nil }

// GetJSON sends a GET request to the API and decodes the response into v.
func (b *DashboardCommand) GetJSON(ctx context.Context, path string, q url.Values, v any) error {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	return b.CallJSON(ctx, http.MethodGet, path+"?"+q.Encode(), "", v)
}

// CallJSON sends a request to the API and decodes the response into v. The caller sets the deadline.
func (b *DashboardCommand) CallJSON(ctx context.Context, method, path, body string, v any) error {
	resp, err := b.SendRequest(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxResponseBytes)).Decode(v); err != nil {
		return fmt.Errorf("decode the dashboard's response: %w", err)
	}
	return nil
}

// SendRequest sends a request with an optional JSON body. It returns an error for every
// status except 200. The caller must close the body of the response.
func (b *DashboardCommand) SendRequest(ctx context.Context, method, path, body string) (*http.Response, error) {
	req, err := b.newRequest(ctx, method, path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := b.client.Do(req)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, &cli.UnreachableError{Text: fmt.Sprintf("the dashboard %s did not respond in time", b.serviceLocation())}
	case err != nil:
		return nil, &cli.UnreachableError{Text: fmt.Sprintf("the dashboard %s cannot be reached: %v", b.serviceLocation(), err)}
	case resp.StatusCode != http.StatusOK:
		defer func() { _ = resp.Body.Close() }()
		return nil, b.parseErrorResponse(resp)
	}
	return resp, nil
}

// newRequest returns a request to the socket or, with a token, to the URL of --server.
func (b *DashboardCommand) newRequest(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	if b.usesToken() {
		return b.newAPIRequest(ctx, method, path, body)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://dashboard/api/v1"+path, body)
	if err == nil {
		req.Header.Set(dashboard.AccountHeader, b.AccountID)
	}
	return req, err
}

func (b *DashboardCommand) parseErrorResponse(resp *http.Response) error {
	err := decodeAPIError(resp)
	if failed := new(apperr.Error); errors.As(err, &failed) {
		return b.explainAPIError(failed)
	}
	return err
}
