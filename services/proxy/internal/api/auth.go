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

var (
	// keyHeaderHelp lists the headers that may contain a key, as shown in errors.
	keyHeaderHelp = []string{"Authorization: Bearer", "api-key", "x-api-key"}
	// keyHeaders lists the same headers in net/http's canonical form.
	keyHeaders = [...]string{"Authorization", "Api-Key", "X-Api-Key"}
)

// admit resolves the key, checks the scope and acquires a slot, before any part of the
// body is read. Once the key is accepted, x.record is set.
func (e *edge) admit(x *exchange, scope string) error {
	key, err := findKey(x.r.Header)
	if err != nil {
		return err
	}
	p, err := e.Keys.Resolve(x.r.Context(), key)
	if err != nil {
		return explainKeyError(err, key)
	}
	x.principal, x.capture = p, effectiveCapture(p, x.r.Header)
	if p.NestedErrors {
		x.format = apperr.OpenAI
	}
	x.entry = ledger.Record{
		ID:              x.id,
		ClientRequestID: e.storableID(x, firstValue(x.r.Header, "X-Request-Id")),
		ClientRetry:     retryCount(x.r.Header),
		ClientAddress:   clientAddress(x.r),
		AccountID:       p.AccountID,
		KeyID:           p.KeyID,
		KeyName:         p.KeyName,
		Time:            x.startedAt,
		Kind:            catalog.Kind(scope),
		Protocol:        x.protocol,
		Agent:           e.storableAgent(x),
		AuthTime:        time.Since(x.startedAt),
	}
	x.record = &x.entry
	if !p.HasScope(scope) {
		return apperr.New(apperr.AuthForbidden, "this key does not have the scope "+scope).With("scope", scope)
	}
	return e.acquireSlot(x)
}

// findKey returns the key of a request. It never reads the URL, because URLs are written
// to logs.
func findKey(h http.Header) (string, error) {
	var key string
	for _, name := range keyHeaders {
		for _, v := range h[name] {
			if name == keyHeaders[0] {
				v = parseBearer(v)
			}
			switch v = strings.TrimSpace(v); {
			case v == "" || v == key:
			case key != "":
				return "", apperr.New(apperr.InvalidRequest, "two different API keys were sent; send only one").
					With("reason", "ambiguous").With("accepted", keyHeaderHelp)
			default:
				key = v
			}
		}
	}
	if key == "" {
		return "", apperr.New(apperr.AuthMissingKey, "no API key was sent; use Authorization: Bearer <key>").With("accepted", keyHeaderHelp)
	}
	return key, nil
}

// parseBearer returns the token of a Bearer header, and "" for other schemes.
func parseBearer(v string) string {
	v = strings.TrimSpace(v)
	const scheme = "bearer"
	if len(v) > len(scheme) && strings.EqualFold(v[:len(scheme)], scheme) && (v[len(scheme)] == ' ' || v[len(scheme)] == '\t') {
		return v[len(scheme)+1:]
	}
	return ""
}

// explainKeyError adds a hint if the key contains quotes or spaces, a common mistake.
func explainKeyError(err error, key string) error {
	if e := apperr.From(err); e.Code == apperr.AuthInvalidKey && strings.ContainsAny(key, " \t\"'") {
		e = e.With("hint", "the key contains quotes or spaces; remove them")
		e.Message += "; the key contains quotes or spaces"
		return e
	}
	return err
}

func retryCount(h http.Header) int32 {
	count := firstValue(h, "X-Stainless-Retry-Count")
	if count == "" {
		return 0 // avoids the allocation of a parse error
	}
	n, err := strconv.ParseInt(count, 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return int32(n)
}

func clientAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

func truncate(s string, maxBytes int) string {
	if len(s) > maxBytes {
		s = s[:maxBytes]
	}
	return strings.ToValidUTF8(s, "")
}
