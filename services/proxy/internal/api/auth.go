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
	keyHeaderHelp = []string{"Authorization: Bearer", "api-key", "x-api-key", "x-goog-api-key"}
	// keyHeaders lists the same headers in net/http's canonical form.
	keyHeaders = [...]string{"Authorization", "Api-Key", "X-Api-Key", "X-Goog-Api-Key"}
)

// admit resolves the key, checks the scope and acquires a slot, before any part of the
// body is read. Once the key is accepted, x.record is set.
func (e *edge) admit(x *exchange, scope string) error {
	key, err := x.findKey()
	if err != nil {
		return err
	}
	p, err := e.Keys.Resolve(x.r.Context(), key)
	if err != nil {
		return explainKeyError(err, key)
	}
	x.principal, x.capture = p, effectiveCapture(p, x.r.Header)
	if p.NestedErrors && x.format == apperr.Flat {
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
		Protocol:        x.route.protocolName(),
		Agent:           e.storableAgent(x),
		AuthTime:        time.Since(x.startedAt),
	}
	x.record = &x.entry
	if e.StartTrace != nil {
		x.entry.Trace = e.StartTrace(x.id, x.r.Header)
	}
	if !p.HasScope(scope) {
		return apperr.New(apperr.AuthForbidden, "this key does not have the scope "+scope).With("scope", scope)
	}
	return e.acquireSlot(x)
}

// findKey returns the key of a request. It reads the URL only on the paths of Gemini, whose
// clients may send the key there. Other URLs must not contain a key, because servers in between
// write URLs to logs. The proxy never logs or records a URL.
func (x *exchange) findKey() (string, error) {
	var found keyFinder
	for _, name := range keyHeaders {
		for _, v := range x.r.Header[name] {
			if name == keyHeaders[0] {
				v = parseBearer(v)
			}
			found.add(v)
		}
	}
	if x.format == apperr.Gemini && x.r.URL.RawQuery != "" {
		for _, v := range x.r.URL.Query()["key"] {
			found.add(v)
		}
	}
	switch {
	case found.isAmbiguous:
		return "", apperr.New(apperr.InvalidRequest, "two different API keys were sent; send only one").
			With("reason", "ambiguous").With("accepted", keyHeaderHelp)
	case found.key == "":
		return "", apperr.New(apperr.AuthMissingKey, "no API key was sent; use Authorization: Bearer <key>").With("accepted", keyHeaderHelp)
	}
	return found.key, nil
}

// keyFinder collects the keys of a request. A request may contain the same key several times.
type keyFinder struct {
	key         string
	isAmbiguous bool
}

func (f *keyFinder) add(v string) {
	v = strings.TrimSpace(v)
	f.isAmbiguous = f.isAmbiguous || v != "" && f.key != "" && v != f.key
	if v != "" {
		f.key = v
	}
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
