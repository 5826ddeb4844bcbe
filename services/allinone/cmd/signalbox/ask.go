package main

import (
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

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard"
)

// maxAnswer bounds what is read of an answer that is kept whole.
const maxAnswer = 64 << 20

// open tries the socket once, so that it can say plainly that nobody is there.
func (b *books) open(ctx context.Context) error {
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
		return &unreachable{"no signalbox is running on the data directory " + filepath.Dir(path) +
			": start it, or name the one of the dashboard that runs here by --data"}
	case err != nil:
		return &unreachable{fmt.Sprintf("cannot use the socket %s: %v", path, err)}
	}
	b.client = &http.Client{Transport: &http.Transport{DialContext: dial}}
	return probe.Close()
}

// get asks the API and reads the answer into v.
func (b *books) get(ctx context.Context, path string, q url.Values, v any) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	return b.ask(ctx, http.MethodGet, path+"?"+q.Encode(), "", v)
}

// ask takes the time that ctx has.
func (b *books) ask(ctx context.Context, method, path, body string, v any) error {
	resp, err := b.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(v); err != nil {
		return fmt.Errorf("the dashboard's answer cannot be read: %w", err)
	}
	return nil
}

// send returns an answer that is not a refusal; the caller closes it. A body is
// JSON.
func (b *books) send(ctx context.Context, method, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://dashboard/api/v1"+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set(dashboard.AccountHeader, b.id)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := b.client.Do(req)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, &unreachable{fmt.Sprintf("the dashboard that runs on %s did not answer in time", b.data)}
	case err != nil:
		return nil, &unreachable{fmt.Sprintf("the dashboard that runs on %s cannot be reached: %v", b.data, err)}
	case resp.StatusCode != http.StatusOK:
		defer func() { _ = resp.Body.Close() }()
		return nil, b.refusal(resp)
	}
	return resp, nil
}

// refusal reads the shape that all our errors have.
func (b *books) refusal(resp *http.Response) error {
	var e struct {
		Error   string         `json:"error"`
		Code    string         `json:"code"`
		Details map[string]any `json:"details"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&e); err != nil {
		return fmt.Errorf("the dashboard answers %s", resp.Status)
	}
	return b.explainRefusal(&apperr.Error{Code: apperr.Code(e.Code), Message: printable(e.Error), Details: e.Details})
}
