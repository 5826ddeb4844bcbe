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

const (
	// usualHeaders is how many of ours an answer has.
	usualHeaders = 8
	// longestNumbers is above what an amount and a length take.
	longestNumbers = 48
)

// header sets one of the response's headers, whose name is as net/http spells
// it: what Set does, without an allocation for each.
func (x *exchange) header(name, value string) {
	n := x.headers
	if n == len(x.values) {
		x.w.Header().Set(name, value)
		return
	}
	x.values[n] = value
	x.headers++
	x.w.Header()[name] = x.values[n : n+1 : n+1]
}

// one is the first value of a request's header, whose name is as net/http
// spells it.
func one(h http.Header, name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// send answers with a whole body, and with what it cost where that is known.
func (x *exchange) send(body []byte, cost ledger.Amount) {
	var text []byte
	if cost.Known {
		text = catalog.AppendUSD(make([]byte, 0, longestNumbers), cost.Nano)
	}
	n := len(text)
	both := string(strconv.AppendInt(text, int64(len(body)), 10))
	if cost.Known {
		x.header("X-Signalbox-Cost-Usd", both[:n])
	}
	x.header("Content-Type", "application/json")
	x.header("Content-Length", both[n:])
	x.commit(len(body))
	x.w.WriteHeader(http.StatusOK)
	_, _ = x.w.Write(body)
	// The client need not wait for what is done after its answer.
	_ = x.rc.Flush()
}

// tellServed puts into the headers who has served the request.
func (x *exchange) tellServed(plan control.Plan, served decide.Target, dropped []string) {
	x.header("X-Signalbox-Model", served.Model)
	x.header("X-Signalbox-Provider", served.Provider)
	x.header("X-Signalbox-Route", string(routeOf(plan, served)))
	x.header("X-Signalbox-Policy", plan.Decision.Policy)
	if len(dropped) > 0 {
		x.header("X-Signalbox-Dropped-Params", asList(dropped))
	}
}

// asList is names in a header. A client's own may have any characters.
func asList(names []string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '?'
		}
		return r
	}, strings.Join(names, ","))
}
