package api

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// accepted are the headers that may carry a key, for clients of all habits, as
// people write them; carriers are the same as net/http spells them.
var (
	accepted = []string{"Authorization: Bearer", "api-key", "x-api-key"}
	carriers = [...]string{"Authorization", "Api-Key", "X-Api-Key"}
)

// admit resolves the key before a byte of the body is read, checks the scope
// and finds the request a place. From here on the request has a record.
func (e *edge) admit(x *exchange, scope string) error {
	key, err := credential(x.r.Header)
	if err != nil {
		return err
	}
	p, err := e.Keys.Resolve(x.r.Context(), key)
	if err != nil {
		return explained(err, key)
	}
	x.principal, x.capture = p, mayKeep(p, x.r.Header)
	if p.NestedErrors {
		x.format = apperr.OpenAI
	}
	x.entry = ledger.Record{
		ID:              x.id,
		ClientRequestID: e.label(x, one(x.r.Header, "X-Request-Id")),
		ClientRetry:     retryCount(x.r.Header),
		ClientAddress:   address(x.r),
		AccountID:       p.AccountID,
		KeyID:           p.KeyID,
		KeyName:         p.KeyName,
		Time:            x.began,
		Kind:            catalog.Kind(scope),
		AuthTime:        time.Since(x.began),
	}
	x.record = &x.entry
	if !p.May(scope) {
		return apperr.New(apperr.AuthForbidden, "this key may not use "+scope).With("scope", scope)
	}
	return e.enter(x)
}

// credential is the one place that finds the key, so that every header is
// held to the same rules. A URL is never looked at: it ends up in logs.
func credential(h http.Header) (string, error) {
	var key string
	for _, name := range carriers {
		for _, v := range h[name] {
			if name == carriers[0] {
				v = bearer(v)
			}
			switch v = strings.TrimSpace(v); {
			case v == "" || v == key:
			case key != "":
				return "", apperr.New(apperr.InvalidRequest, "two different API keys were sent; send one, in one header").
					With("reason", "ambiguous").With("accepted", accepted)
			default:
				key = v
			}
		}
	}
	if key == "" {
		return "", apperr.New(apperr.AuthMissingKey, "no API key was sent; use Authorization: Bearer <key>").With("accepted", accepted)
	}
	return key, nil
}

// bearer is what follows the scheme; other schemes carry nothing of ours.
func bearer(v string) string {
	v = strings.TrimSpace(v)
	const scheme = "bearer"
	if len(v) > len(scheme) && strings.EqualFold(v[:len(scheme)], scheme) && (v[len(scheme)] == ' ' || v[len(scheme)] == '\t') {
		return v[len(scheme)+1:]
	}
	return ""
}

// explained adds what people most often do to a key that was right.
func explained(err error, key string) error {
	if e := apperr.From(err); e.Code == apperr.AuthInvalidKey && strings.ContainsAny(key, " \t\"'") {
		e = e.With("hint", "the key has quotes or spaces in it")
		e.Message += "; it was sent with quotes or spaces in it"
		return e
	}
	return err
}

func retryCount(h http.Header) int32 {
	count := one(h, "X-Stainless-Retry-Count")
	if count == "" {
		return 0 // an error would be an allocation
	}
	n, err := strconv.ParseInt(count, 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return int32(n)
}

func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

func cut(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	return strings.ToValidUTF8(s, "")
}
