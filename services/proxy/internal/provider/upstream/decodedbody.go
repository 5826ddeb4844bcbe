package upstream

import (
	"errors"
	"fmt"
	"io"
)

// decodedBody decodes a body. Read is for one goroutine. Close may be called at any time.
type decodedBody struct {
	source  countingReader
	open    func(r io.Reader) (io.Reader, error)
	name    string
	client  *Client
	decoder io.Reader
	decoded int64
	err     error
}

// Read returns decoded bytes. Damaged data and data beyond the ratio limit are
// PROVIDER_INVALID_RESPONSE. Read errors of the connection are returned unchanged.
func (d *decodedBody) Read(p []byte) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	if d.decoder == nil {
		if d.decoder, d.err = d.open(&d.source); d.err != nil {
			d.err = d.toError(d.err)
			return 0, d.err
		}
	}
	n, err := d.decoder.Read(p)
	d.decoded += int64(n)
	switch {
	case d.decoded > ratioAllowance+maxRatio*d.source.count:
		d.err = d.client.encodingError(fmt.Sprintf("a %s body that is more than %d times as long when decoded", d.name, maxRatio))
		return 0, d.err
	case err != nil:
		d.err = d.toError(err)
	}
	return n, d.err
}

func (d *decodedBody) toError(err error) error {
	switch {
	case d.source.err != nil:
		return d.source.err
	case errors.Is(err, io.EOF) && d.decoder != nil:
		return io.EOF
	}
	return d.client.encodingError("a damaged " + d.name + " body")
}

// Close closes the connection's body.
func (d *decodedBody) Close() error { return d.source.Close() }

// countingReader counts the bytes that it read, and stores the read error unless it is io.EOF.
type countingReader struct {
	io.ReadCloser
	count int64
	err   error
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.count += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// unreadable is the body of an error whose encoding is unknown. It is empty.
type unreadable struct{ io.Closer }

// Read returns io.EOF.
func (unreadable) Read([]byte) (int, error) { return 0, io.EOF }
