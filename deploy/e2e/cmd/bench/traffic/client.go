package traffic

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/canned"
	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/httpwire"
)

// RequestTimeout applies only to requests that hang.
const RequestTimeout = 20 * time.Second

// client is one keep-alive connection.
type client struct {
	address string
	conn    net.Conn
	wire    *httpwire.Reader
	// idleSince is when the last request ended.
	idleSince time.Time
}

// do sends an encoded request and reads the complete response. After an error the
// next call opens a new connection.
func (c *client) do(ctx context.Context, request []byte, stream bool) (Timing, error) {
	if err := c.connect(ctx); err != nil {
		return Timing{}, err
	}
	t, err := c.exchange(request, stream)
	if err != nil {
		c.close()
	}
	return t, err
}

func (c *client) connect(ctx context.Context) error {
	if c.conn != nil {
		return nil
	}
	conn, err := (&net.Dialer{Timeout: RequestTimeout}).DialContext(ctx, "tcp", c.address)
	if err != nil {
		return err
	}
	c.conn, c.wire = conn, httpwire.NewReader(conn)
	return nil
}

func (c *client) exchange(request []byte, stream bool) (Timing, error) {
	began := time.Now()
	if err := c.conn.SetDeadline(began.Add(RequestTimeout)); err != nil {
		return Timing{}, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return Timing{}, err
	}
	h, err := c.wire.ReadMessage()
	if err != nil {
		return Timing{}, err
	}
	t := Timing{First: h.Arrived.Sub(began), Whole: time.Since(began)}
	if h.Last {
		c.close()
	}
	return t, checkResponse(h, c.wire.Body, stream)
}

// checkResponse returns an error unless the response is successful and complete.
func checkResponse(h httpwire.Head, body []byte, stream bool) error {
	switch events := bytes.Count(body, []byte("data: ")); {
	case h.Status != http.StatusOK:
		return fmt.Errorf("status %d: %.200s", h.Status, body)
	case stream && !bytes.HasSuffix(body, []byte("data: [DONE]\n\n")):
		return fmt.Errorf("the stream is incomplete: ...%q", body[max(0, len(body)-80):])
	case stream && events != canned.ChunkCount+1:
		return fmt.Errorf("the stream has %d events, want %d", events, canned.ChunkCount+1)
	case !stream && !bytes.Contains(body, []byte(`"usage`)):
		return fmt.Errorf("the response has no usage: %.200s", body)
	}
	return nil
}

func (c *client) close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

// encodeRequest returns the bytes of a POST. header is empty or a whole line.
func encodeRequest(address, path, key, header, body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s",
		path, address, key, header, len(body), body)
}
