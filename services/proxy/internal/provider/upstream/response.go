package upstream

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/storedid"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

const (
	// maxErrorBody limits how many bytes of an error body are read. errorBodyTimeout
	// limits the time for reading them. If the body cannot be read, the status alone
	// determines the error code.
	maxErrorBody     = 64 << 10
	errorBodyTimeout = time.Second
	// maxBody limits a complete body. The largest real responses have thousands of embeddings
	// and are smaller.
	maxBody = 32 << 20
	// maxPreallocated limits the memory that is allocated because of a Content-Length.
	// For a longer body the buffer grows as bytes arrive.
	maxPreallocated = 1 << 20
)

// Response is a response with a status below 300. Exactly one of Body and Stream is
// set. The upstream decides which one, whatever the request asked for.
type Response struct {
	Status int
	// UpstreamID is the upstream's own id for the call.
	UpstreamID string
	// Body is the complete body.
	Body []byte
	// ReleaseBody is nil if the memory of Body cannot be reused: see provider.Response.
	ReleaseBody func()
	// Stream is the body of an event stream. Client.ReadEvents reads it.
	Stream io.ReadCloser
	// secret is the key of the successful call. reportError reports later errors to the
	// key pool. reportError is nil if the provider has no keys.
	secret      []byte
	reportError func(err error)
	// signer signs the ids of the objects that the call stored. It may be nil.
	signer *storedid.Signer
}

// ToProviderResponse returns a provider.Response without a body and without events. The
// adapter adds the translated body or events.
func (r *Response) ToProviderResponse() *provider.Response {
	return &provider.Response{Status: r.Status, UpstreamID: r.UpstreamID, UpstreamCalls: 1, ReportError: r.reportError, Signer: r.signer}
}

// readResponse fills result from response. stream is set if the request asked for a
// stream.
func (c *Client) readResponse(ctx context.Context, response egress.HTTPResponse, stream bool, result *Response) error {
	switch {
	case response.Status >= http.StatusBadRequest:
		return c.readErrorResponse(ctx, response, result.secret)
	case response.Status >= http.StatusMultipleChoices:
		_ = response.Body.Close()
		return c.InvalidResponse("redirect", "sent a redirect, which is not followed; check its base_url")
	}
	if err := c.decodeBody(&response); err != nil {
		_ = response.Body.Close()
		return err
	}
	switch {
	case isEventStreamType(response.Header.Get(headerContentType)):
		result.Stream = response.Body
		return nil
	case stream:
		var isStream bool
		if response.Body, isStream = sniffEventStream(response.Body); isStream {
			result.Stream = response.Body
			return nil
		}
	}
	buffer := takeBuffer()
	body, err := c.readBody(ctx, response, buffer, maxBody+1)
	if err != nil {
		return err
	}
	result.ReleaseBody = func() { releaseBuffer(buffer) }
	if len(body) > maxBody {
		return c.InvalidResponse("too_large", fmt.Sprintf("sent a response of more than %d bytes", maxBody))
	}
	result.Body = redactSecret(body, result.secret)
	return nil
}

// readErrorResponse returns the error that the upstream sent. If the body cannot be
// read, the error is derived from the status alone.
func (c *Client) readErrorResponse(ctx context.Context, response egress.HTTPResponse, secret []byte) error {
	if c.decodeBody(&response) != nil {
		response.Body = unreadable{response.Body}
	}
	timeout := time.AfterFunc(errorBodyTimeout, func() { _ = response.Body.Close() })
	defer timeout.Stop()
	body, err := c.readBody(ctx, response, new(bytes.Buffer), maxErrorBody)
	if err != nil && ctx.Err() != nil {
		return err
	}
	return upstreamerror.Parse(response.Status, response.Header.Fields(), redactSecret(body, secret))
}

// readBody reads at most limit bytes into a buffer and closes the body. The connection can be
// reused if the body was read to its end.
func (c *Client) readBody(ctx context.Context, response egress.HTTPResponse, body *bytes.Buffer, limit int64) ([]byte, error) {
	defer func() { _ = response.Body.Close() }()
	// ReadFrom needs MinRead free bytes to find the end without growing the buffer.
	body.Grow(int(min(max(response.Length, int64(response.Buffered)), maxPreallocated, limit)) + bytes.MinRead)
	if _, err := body.ReadFrom(io.LimitReader(response.Body, limit)); err != nil {
		return body.Bytes(), c.connectionError(ctx, phaseResponse, err)
	}
	return body.Bytes(), nil
}
