package load

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"strings"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

const (
	streamEnd  = "data: [DONE]\n\n"
	markHeader = "X-Request-Id"
	costHeader = "X-Signalbox-Cost-Usd"
	// requestTimeout applies only to requests that hang.
	requestTimeout = 60 * time.Second
	// maxUnexpected is how many bytes of an unexpected response the report shows.
	maxUnexpected = 1 << 10
)

// RequestSpec describes one request to send.
type RequestSpec struct {
	Base, Key, Path, Body string
	// LeaveAfter is the number of stream events after which the client
	// disconnects; 0 means that it stays.
	LeaveAfter int
	Entry      reconcile.Request
}

// Client sends each request on a new connection. A kept-alive connection may already
// be dead, and then it would be unclear whether the gateway caused the failure.
type Client struct{ http *http.Client }

// NewClient returns a Client.
func NewClient() *Client {
	return &Client{http: &http.Client{Timeout: requestTimeout, Transport: &http.Transport{DisableKeepAlives: true}}}
}

// Do sends a request and returns its entry, which describes the request and the response.
func (c *Client) Do(ctx context.Context, e RequestSpec) reconcile.Request {
	line := e.Entry
	if line.Began.IsZero() {
		line.Began = time.Now()
	}
	if err := c.exchange(ctx, e, &line); err != nil {
		line.Err = err.Error()
	}
	line.Ended = time.Now()
	return line
}

func (c *Client) exchange(ctx context.Context, e RequestSpec, line *reconcile.Request) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.Base+"/proxy/v1"+e.Path, strings.NewReader(e.Body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+e.Key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(markHeader, line.Mark)
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	line.ID, line.Status, line.ReportedCost = res.Header.Get(markHeader), res.StatusCode, parseNanoUSD(res.Header.Get(costHeader))
	if e.LeaveAfter > 0 && line.Status == line.Want {
		line.Left = true
		if line.Bytes, err = readEvents(res.Body, e.LeaveAfter); err == nil {
			line.Events = e.LeaveAfter
		}
		return err
	}
	body, err := io.ReadAll(res.Body)
	line.Bytes = len(body)
	line.Complete = err == nil && isComplete(line, body)
	if line.Status != line.Want {
		line.Unexpected = string(body[:min(len(body), maxUnexpected)])
	}
	return err
}

// parseNanoUSD parses an amount in dollars; it returns nil if there is none.
func parseNanoUSD(dollars string) *int64 {
	amount, ok := new(big.Rat).SetString(dollars)
	if !ok {
		return nil
	}
	n := amount.Mul(amount, big.NewRat(1_000_000_000, 1)).Num().Int64()
	return &n
}

// readEvents reads n events of a stream and returns the number of bytes read.
func readEvents(body io.Reader, n int) (read int, err error) {
	lines := bufio.NewReader(body)
	for n > 0 {
		text, err := lines.ReadString('\n')
		read += len(text)
		if err != nil {
			return read, err
		}
		if strings.HasPrefix(text, "data: ") {
			n--
		}
	}
	return read, nil
}

// isComplete reports whether the response ended properly.
func isComplete(line *reconcile.Request, body []byte) bool {
	if line.Stream && line.Status == http.StatusOK {
		return bytes.HasSuffix(body, []byte(streamEnd))
	}
	return json.Valid(body)
}
