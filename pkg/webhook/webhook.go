// Package webhook sends messages as HTTP requests to URLs that account owners choose. It
// signs them if there is a signing secret. It does not trust the receiver: it follows no
// redirects and reads no response body. It connects only to public addresses, unless the
// operator allows private ones. A Sender makes one attempt; its callers decide when to retry.
// keyauth sends notices with it, and the dashboard alerts.
package webhook

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/signalbox/signalbox/pkg/netguard"
)

const (
	// defaultTimeout bounds a whole attempt, including the response headers.
	defaultTimeout = 5 * time.Second
	// maxHeaderBytes bounds the response headers.
	maxHeaderBytes = 16 << 10
)

// Config holds the restrictions of a Sender.
type Config struct {
	// AllowPrivate permits private addresses.
	AllowPrivate bool
	// Roots are the trusted CAs. If it is nil, the CAs of the system are trusted.
	Roots *x509.CertPool
	// Timeout bounds a whole attempt. The default is 5 seconds.
	Timeout time.Duration
}

// Delivery is one attempt to deliver a message.
type Delivery struct {
	URL string
	// ID is the id of the message, the same in every attempt.
	ID string
	// Secret is the signing key; empty means unsigned.
	Secret string
	At     time.Time
	// Body is JSON.
	Body string
}

// Sender makes HTTP requests.
type Sender struct{ client *http.Client }

// New returns a Sender, which opens a new connection for every attempt.
func New(c Config) *Sender {
	c.Timeout = cmp.Or(c.Timeout, defaultTimeout)
	dialer := &net.Dialer{Timeout: c.Timeout}
	if !c.AllowPrivate {
		dialer.Control = publicOnly
	}
	return &Sender{client: &http.Client{
		Timeout: c.Timeout,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{RootCAs: c.Roots},
			DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeaderBytes, TLSHandshakeTimeout: c.Timeout,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

var errNotPublic = errors.New("the address is not public")

// publicOnly checks every address right before the connection is opened. At this point
// the host name is already resolved. So a host name cannot resolve to a public address
// for the check and to a private address for the connection.
func publicOnly(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !netguard.IsPublic(ap.Addr()) {
		return errNotPublic
	}
	return nil
}

// Send makes one attempt. It returns the HTTP status, or 0 if there was no response, and an
// error unless the receiver accepted the message. The account's owner reads the error, so it
// reveals no details of the internal network.
func (s *Sender) Send(ctx context.Context, d Delivery) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, strings.NewReader(d.Body))
	if err != nil {
		return 0, errors.New("the URL is not valid")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Signalbox-Webhook")
	req.Header.Set("Signalbox-Id", d.ID)
	if d.Secret != "" {
		req.Header.Set("Signalbox-Signature", Sign(d.Secret, d.At, d.Body))
	}
	res, err := s.client.Do(req)
	if err != nil {
		return 0, explainSendError(err, s.client.Timeout)
	}
	_ = res.Body.Close() // only the status matters
	switch code := res.StatusCode; {
	case code >= 300 && code < 400:
		return code, fmt.Errorf("the webhook responded with status %d; redirects are not followed", code)
	case code < 200 || code >= 400:
		return code, fmt.Errorf("the webhook responded with status %d", code)
	}
	return res.StatusCode, nil
}

// Sign returns the value of the signature header, t=<seconds>,v1=<hex>. The hex
// part is the HMAC-SHA-256 of "<seconds>.<body>" with the secret as the key.
// Receivers should also reject old times to prevent replays.
func Sign(secret string, at time.Time, body string) string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(seconds + "." + body))
	return "t=" + seconds + ",v1=" + hex.EncodeToString(h.Sum(nil))
}

// explainSendError returns an error without details of the internal network, because
// the account's owner reads it.
func explainSendError(err error, limit time.Duration) error {
	var name *net.DNSError
	var timeout net.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errNotPublic):
		return errNotPublic
	case errors.As(err, &certificate):
		return errors.New("the TLS certificate is not trusted")
	case errors.As(err, &name):
		return errors.New("the host name cannot be resolved")
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("the webhook did not respond within %.0f seconds", limit.Seconds())
	}
	return errors.New("the connection failed")
}
