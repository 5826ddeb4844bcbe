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

// accepted are the headers that may carry a key, for clients of all habits.
var accepted = []string{"Authorization", "api-key", "x-api-key"}

// admit resolves the key before a byte of the body is read, and checks the
// scope. From here on the request has a record.
func (e *edge) admit(x *exchange, scope string) error {
	key := credential(x.r.Header)
	if key == "" {
		return apperr.New(apperr.AuthMissingKey, "no API key was sent; use Authorization: Bearer <key>").With("accepted", accepted)
	}
	p, err := e.Keys.Resolve(x.r.Context(), key)
	if err != nil {
		return err
	}
	x.principal = p
	if p.NestedErrors {
		x.format = apperr.OpenAI
	}
	x.record = &ledger.Record{
		ID:              x.id,
		ClientRequestID: cut(x.r.Header.Get("X-Request-Id"), 128),
		ClientRetry:     retryCount(x.r.Header),
		ClientAddress:   address(x.r),
		AccountID:       p.AccountID,
		KeyID:           p.KeyID,
		KeyName:         p.KeyName,
		Time:            x.began,
		Kind:            catalog.Kind(scope),
		AuthTime:        time.Since(x.began),
	}
	if !p.May(scope) {
		return apperr.New(apperr.AuthForbidden, "this key may not use "+scope).With("scope", scope)
	}
	return nil
}

// credential is the one place that finds the key, so that every header is
// held to the same rules.
func credential(h http.Header) string {
	if scheme, key, ok := strings.Cut(h.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(key)
	}
	for _, name := range accepted[1:] {
		if key := strings.TrimSpace(h.Get(name)); key != "" {
			return key
		}
	}
	return ""
}

func retryCount(h http.Header) int32 {
	n, err := strconv.ParseInt(h.Get("X-Stainless-Retry-Count"), 10, 32)
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
