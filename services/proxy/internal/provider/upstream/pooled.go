package upstream

import (
	"context"
	"fmt"
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
)

// maxCalls bounds what one attempt may do to an upstream, however many keys
// there are.
const maxCalls = 4

// pooled makes the call with one key after the other, until one is neither
// refused nor limited.
func (c *Client) pooled(ctx context.Context, r Request) (Answer, error) {
	var tried keypool.Tried
	var last error
	for calls := 1; calls <= maxCalls; calls++ {
		use, ok := c.keys.Take(r.Model, tried)
		if !ok && last == nil {
			return Answer{}, c.keyless(r.Model)
		}
		if !ok {
			break
		}
		a, err := c.call(ctx, r, &c.faces[use.Key])
		verdict, e := judge(err)
		c.report(use, verdict, e)
		if verdict <= keypool.Good {
			a.Calls, a.failed = calls, func(err error) { c.failed(use, err) }
			return a, counted(err, calls)
		}
		tried, last = tried.And(use.Key), counted(err, calls)
	}
	return Answer{}, last
}

func (c *Client) report(use keypool.Use, v keypool.Verdict, e *apperr.Error) {
	if e == nil {
		c.keys.Report(use, v, 0)
		return
	}
	c.keys.Report(use, v, e.RetryAfter)
}

// failed is report for an answer that says error under a good status. What it
// says about anything but the key has been reported.
func (c *Client) failed(use keypool.Use, err error) {
	if verdict, e := judge(err); verdict > keypool.Good {
		c.report(use, verdict, e)
	}
}

// judge is what a call's end says about its key; e is its error.
func judge(err error) (v keypool.Verdict, e *apperr.Error) {
	if err == nil {
		return keypool.Good, nil
	}
	e = apperr.From(err)
	status, answered := e.Details["upstream_status"].(int)
	switch {
	case e.Code == apperr.ProviderRateLimited, e.Code == apperr.ProviderQuotaExhausted && e.RetryAfter > 0:
		return keypool.Limited, e
	case e.Code == apperr.ProviderAuth && status == http.StatusForbidden:
		// A key may have no right to one model and serve all others.
		return keypool.Barred, e
	case e.Code == apperr.ProviderAuth, e.Code == apperr.ProviderQuotaExhausted:
		return keypool.Refused, e
	case answered && status < http.StatusInternalServerError:
		return keypool.Good, e
	}
	return keypool.Silent, e
}

// counted tells how many calls a failure took, where it was more than one.
func counted(err error, calls int) error {
	if err == nil || calls == 1 {
		return err
	}
	return apperr.From(err).With("upstream_calls", calls)
}

// keyless is the error where no key may serve.
func (c *Client) keyless(model string) error {
	wait, parked := c.keys.Wait(model)
	code, why := apperr.ProviderRateLimited, "limits the rate of requests of every key"
	if parked {
		code, why = apperr.ProviderAuth, "refuses every key of the gateway's"
	}
	e := apperr.New(code, fmt.Sprintf("provider %s %s", c.name, why)).With("upstream_calls", 0)
	if wait > 0 {
		e = e.After(wait)
	}
	return e
}
