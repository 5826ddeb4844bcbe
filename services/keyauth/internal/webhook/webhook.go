// Package webhook tells notices to addresses that account owners have chosen,
// over HTTP, signed. It trusts neither the address nor what answers: it dials
// public addresses alone, follows no redirects and reads no body. When to tell
// and how often is the domain's, which is its only user.
package webhook

import (
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
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

const (
	// limit is for all of a try, the answer's head included.
	limit = 5 * time.Second
	// maxHead is how much of an answer's head is read.
	maxHead = 16 << 10
)

// Config is what a sender may do.
type Config struct {
	// AllowPrivate lets it dial every address.
	AllowPrivate bool
	// Roots are whom to trust; nil means the system's.
	Roots *x509.CertPool
}

// Sender implements account.Webhook.
type Sender struct{ client *http.Client }

// New makes a sender. It keeps no connections.
func New(c Config) *Sender {
	dialer := &net.Dialer{Timeout: limit}
	if !c.AllowPrivate {
		dialer.Control = publicOnly
	}
	return &Sender{client: &http.Client{
		Timeout: limit,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{RootCAs: c.Roots},
			DisableKeepAlives: true, MaxResponseHeaderBytes: maxHead, TLSHandshakeTimeout: limit,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

var errPrivate = errors.New("its address is not public")

// publicOnly runs on every address that is about to be dialled, after
// resolution, so a name that changes its mind between two lookups gains
// nothing.
func publicOnly(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !netguard.Public(ap.Addr()) {
		return errPrivate
	}
	return nil
}

// Send makes one try; see account.Webhook.
func (s *Sender) Send(ctx context.Context, d account.Delivery) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, strings.NewReader(d.Body))
	if err != nil {
		return 0, errors.New("its address cannot be read")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Signalbox-Webhook")
	req.Header.Set("Signalbox-Id", d.ID)
	if d.Secret != "" {
		req.Header.Set("Signalbox-Signature", Sign(d.Secret, d.At, d.Body))
	}
	res, err := s.client.Do(req)
	if err != nil {
		return 0, explained(err)
	}
	_ = res.Body.Close() // unread: what it says is of no use to anybody
	switch code := res.StatusCode; {
	case code >= 300 && code < 400:
		return code, fmt.Errorf("it answered %d, and redirects are not followed", code)
	case code < 200 || code >= 400:
		return code, fmt.Errorf("it answered %d", code)
	}
	return res.StatusCode, nil
}

// Sign is the signature's header: the time, and the HMAC-SHA-256 under the
// secret of the time in seconds, a dot and the body. Whoever checks it refuses
// times that are long past, too.
func Sign(secret string, at time.Time, body string) string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(seconds + "." + body))
	return "t=" + seconds + ",v1=" + hex.EncodeToString(h.Sum(nil))
}

// explained says what went wrong in words that name nothing of the network
// inside: the owner of an account reads them.
func explained(err error) error {
	var name *net.DNSError
	var timeout net.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errPrivate):
		return errPrivate
	case errors.As(err, &certificate):
		return errors.New("its certificate cannot be trusted")
	case errors.As(err, &name):
		return errors.New("its name cannot be resolved")
	case errors.As(err, &timeout) && timeout.Timeout():
		return errors.New("it did not answer within 5 seconds")
	}
	return errors.New("it cannot be connected to")
}
