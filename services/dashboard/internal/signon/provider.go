package signon

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"github.com/signalbox/signalbox/pkg/seal"
)

// maxIssuerBytes limits a response of the issuer.
const maxIssuerBytes = 1 << 20

// algorithms are the accepted signatures of ID tokens. All of them are asymmetric: with
// a symmetric one, the public key of the issuer could sign a forged token.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA}

// provider is an issuer with its discovered addresses.
type provider struct {
	Issuer
	sealer    *seal.Sealer
	public    *url.URL
	client    *http.Client
	connected atomic.Pointer[remoteIssuer]
	flight    singleflight.Group
}

func newProvider(i Issuer, public *url.URL) (*provider, error) {
	key := []byte(i.secret)
	if len(key) == 0 {
		// Without a secret that all dashboards share, the browser must come back to the
		// dashboard that began the sign-on.
		key = []byte(rand.Text() + rand.Text())
	}
	sealer, err := seal.New(key, "sign-on of "+i.Issuer)
	if err != nil {
		return nil, err
	}
	client := &http.Client{
		Transport: limitedTransport{newTransport()}, Timeout: issuerTimeout,
		// A redirect could lead to an address that addresses.check refuses.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &provider{Issuer: i, sealer: sealer, public: public, client: client}, nil
}

// newTransport keeps few connections, because people sign in rarely.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: issuerTimeout}).DialContext,
		TLSHandshakeTimeout: issuerTimeout, ResponseHeaderTimeout: issuerTimeout,
		MaxIdleConns: 2, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
	}
}

// connect returns the discovered issuer. It reads the discovery document at the first
// sign-on, so that the dashboard starts without the issuer.
func (p *provider) connect(ctx context.Context) (*remoteIssuer, error) {
	if known := p.connected.Load(); known != nil {
		return known, nil
	}
	found, err, _ := p.flight.Do("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), issuerTimeout)
		defer cancel()
		return p.discover(ctx)
	})
	if err != nil {
		return nil, err
	}
	remote, _ := found.(*remoteIssuer)
	p.connected.Store(remote)
	return remote, nil
}

func (p *provider) discover(ctx context.Context) (*remoteIssuer, error) {
	ctx = oidc.ClientContext(ctx, p.client)
	found, err := oidc.NewProvider(ctx, p.Issuer.Issuer)
	if err != nil {
		return nil, fmt.Errorf("read the discovery document: %w", err)
	}
	var more addresses
	if err := found.Claims(&more); err != nil {
		return nil, fmt.Errorf("read the discovery document: %w", err)
	}
	if err := more.check(p.Issuer.Issuer); err != nil {
		return nil, fmt.Errorf("read the discovery document: %w", err)
	}
	return &remoteIssuer{
		config: &p.Issuer, client: p.client, endSession: more.EndSession, public: p.public,
		verifier: found.VerifierContext(ctx, &oidc.Config{ClientID: p.ClientID, SupportedSigningAlgs: algorithms}),
		oauth: &oauth2.Config{
			ClientID: p.ClientID, ClientSecret: p.secret, Endpoint: found.Endpoint(),
			RedirectURL: p.public.JoinPath(PathPrefix, p.Name, "callback").String(),
			Scopes:      append([]string{oidc.ScopeOpenID, "email"}, p.Scopes...),
		},
	}, nil
}

// limitedTransport cuts off responses that are too large.
type limitedTransport struct{ base http.RoundTripper }

func (t limitedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = limitedBody{io.LimitReader(resp.Body, maxIssuerBytes), resp.Body}
	return resp, nil
}

type limitedBody struct {
	io.Reader
	io.Closer
}

// clockSkew is how far the clock of the issuer may be ahead.
const clockSkew = 5 * time.Minute
