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

	"github.com/signalbox/signalbox/deploy/e2e/book"
)

const (
	done      = "data: [DONE]\n\n"
	markField = "X-Request-Id"
	costField = "X-Signalbox-Cost-Usd"
	// requestLimit is only ever used up by what hangs.
	requestLimit = 60 * time.Second
)

// Errand is one request to make.
type Errand struct {
	Base, Key, Path, Body string
	// Leave is after how many events of a stream the client goes away; 0 means
	// that it stays.
	Leave int
	Line  book.Request
}

// Client makes requests, each on a connection of its own: one that is kept may
// have died unnoticed, and then nobody knows whose fault it is.
type Client struct{ http *http.Client }

// NewClient makes one.
func NewClient() *Client {
	return &Client{http: &http.Client{Timeout: requestLimit, Transport: &http.Transport{DisableKeepAlives: true}}}
}

// Do makes a request and returns its line of the book.
func (c *Client) Do(ctx context.Context, e Errand) book.Request {
	line := e.Line
	if line.Began.IsZero() {
		line.Began = time.Now()
	}
	if err := c.exchange(ctx, e, &line); err != nil {
		line.Err = err.Error()
	}
	line.Ended = time.Now()
	return line
}

func (c *Client) exchange(ctx context.Context, e Errand, line *book.Request) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.Base+"/proxy/v1"+e.Path, strings.NewReader(e.Body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+e.Key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(markField, line.Mark)
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	line.ID, line.Status, line.Told = res.Header.Get(markField), res.StatusCode, nano(res.Header.Get(costField))
	if e.Leave > 0 && line.Status == line.Want {
		line.Left = true
		if line.Bytes, err = events(res.Body, e.Leave); err == nil {
			line.Events = e.Leave
		}
		return err
	}
	body, err := io.ReadAll(res.Body)
	line.Bytes = len(body)
	line.Whole = err == nil && whole(line, body)
	return err
}

// nano reads dollars; nil if there are none.
func nano(dollars string) *int64 {
	amount, ok := new(big.Rat).SetString(dollars)
	if !ok {
		return nil
	}
	n := amount.Mul(amount, big.NewRat(1_000_000_000, 1)).Num().Int64()
	return &n
}

// events reads so many of a stream.
func events(body io.Reader, n int) (read int, err error) {
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

// whole is whether an answer has come to its end.
func whole(line *book.Request, body []byte) bool {
	if line.Stream && line.Status == http.StatusOK {
		return bytes.HasSuffix(body, []byte(done))
	}
	return json.Valid(body)
}
