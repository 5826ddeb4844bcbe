package egress

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
)

// NewProxied returns a Caller whose calls go through the proxy that selectProxy returns for a
// request: nil for a direct call. The calls use net/http and HTTP/1.1. The address check applies
// to every address that is dialled, which is usually the proxy's. The proxy resolves the name of
// the upstream, so the address of the upstream cannot be checked here.
func NewProxied(c Config, selectProxy func(*http.Request) (*url.URL, error)) Caller {
	d := newDialer(c)
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return WrapTransport(&proxied{&http.Transport{
		Proxy:                  hideProxyAddress(selectProxy),
		DialContext:            d.dial,
		TLSClientConfig:        d.tls,
		TLSHandshakeTimeout:    d.tlsTimeout,
		Protocols:              protocols,
		DisableCompression:     true,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdle,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
	}})
}

// hideProxyAddress replaces the errors of selectProxy, because they contain the address of the
// proxy with its password.
func hideProxyAddress(selectProxy func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(r *http.Request) (*url.URL, error) {
		u, err := selectProxy(r)
		if err != nil {
			return nil, &Error{Phase: PhaseConnect, text: "the address of the proxy is invalid"}
		}
		return u, nil
	}
}

// proxied makes calls over net/http and returns its errors as an *Error where possible.
type proxied struct{ transport *http.Transport }

// RoundTrip makes one call. net/http may read the body after the response has arrived, so it gets
// its own copy.
func (p *proxied) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	var s callState
	own := req.WithContext(s.watch(req.Context()))
	own.Body = io.NopCloser(bytes.NewReader(body))
	own.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	resp, err := p.transport.RoundTrip(own)
	if err != nil {
		return nil, s.callError(req.Context(), err)
	}
	return resp, nil
}

// callState is how far net/http came with a call.
type callState struct {
	// connected means that the call got a connection. reused means that the connection had
	// served an earlier call. responded means that a byte of the response arrived. net/http
	// reports it on another goroutine.
	connected, reused bool
	responded         atomic.Bool
}

func (s *callState) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(i httptrace.GotConnInfo) { s.connected, s.reused = true, i.Reused },
		GotFirstResponseByte: func() { s.responded.Store(true) },
	})
}

// callError returns the error of a failed call.
func (s *callState) callError(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if ctx.Err() != nil {
		return err
	}
	isStale := s.reused && !s.responded.Load()
	switch {
	case !s.connected && isTLSError(err):
		return tlsError(err)
	case !s.connected:
		return &Error{Phase: PhaseConnect, text: "the proxy made no connection", cause: err}
	case isStale || isConnEnd(err):
		return lostError(err, isStale)
	}
	return err
}

func isTLSError(err error) bool {
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, isRecord := errors.AsType[tls.RecordHeaderError](err)
	return isCertificate || isRecord
}
