package api

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// usualHeaders is the number of headers that setHeader sets in a usual response.
const usualHeaders = 9

// setHeader sets a response header like http.Header.Set, but usually without an
// allocation. The name must be in canonical form.
func (x *exchange) setHeader(name, value string) {
	n := x.headerCount
	if n == len(x.headerValues) {
		x.w.Header().Set(name, value)
		return
	}
	x.headerValues[n] = value
	x.headerCount++
	x.w.Header()[name] = x.headerValues[n : n+1 : n+1]
}

// firstValue returns the first value of a request header. The name must be in canonical
// form.
func firstValue(h http.Header, name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// sendBody sends a whole response. If the cost is known, a header contains it.
func (x *exchange) sendBody(body []byte, cost ledger.Amount) {
	x.sendBodyWithStatus(http.StatusOK, body, cost)
}

func (x *exchange) sendBodyWithStatus(status int, body []byte, cost ledger.Amount) {
	if cost.Known {
		x.setHeader("X-Signalbox-Cost-Usd", catalog.FormatUSD(cost.Nano))
	}
	x.setHeader("Content-Type", "application/json")
	x.setHeader("Content-Length", strconv.Itoa(len(body)))
	x.commit(len(body))
	x.w.WriteHeader(status)
	_, _ = x.w.Write(body)
	// Flush now. Otherwise the client would wait until the handler returns.
	_ = x.rc.Flush()
}

// setServedHeaders sets the headers that describe how the request was routed.
func (x *exchange) setServedHeaders(plan control.Plan, served decide.Candidate, dropped []string) {
	x.setHeader("X-Signalbox-Model", served.Model)
	x.setHeader("X-Signalbox-Provider", served.Provider)
	if served.Effort != "" {
		x.setHeader("X-Signalbox-Effort", served.Effort)
	}
	x.setHeader("X-Signalbox-Route", string(plan.RouteOf(served, plan.Failed)))
	x.setHeader("X-Signalbox-Policy", plan.PolicyVersion)
	if len(dropped) > 0 {
		x.setHeader("X-Signalbox-Dropped-Params", formatNames(dropped))
	}
}

// formatNames joins names for a header. It replaces characters that a header cannot
// contain, because clients choose the names.
func formatNames(names []string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '?'
		}
		return r
	}, strings.Join(names, ","))
}
