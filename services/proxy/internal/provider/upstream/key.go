package upstream

import (
	"context"
	"fmt"
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
)

// callWithPool makes the call with one key of the pool and reports the result to the pool. If
// the upstream rejects or rate-limits the key and another one is available, the error is a
// *provider.RepeatError.
func (c *Client) callWithPool(ctx context.Context, r Request) (Response, error) {
	selection, ok := c.keys.SelectKey(r.Model, r.TriedKeys)
	if !ok {
		return Response{}, c.noKeyError(r.Model, 0, "every configured key")
	}
	return c.callSelected(ctx, r, selection)
}

func (c *Client) callSelected(ctx context.Context, r Request, selection keypool.Selection) (Response, error) {
	response, err := c.callWithKey(ctx, r, &c.headersByKey[selection.KeyIndex])
	result, e := classifyResult(err)
	c.reportResult(selection, result, e)
	response.reportError = func(err error) { c.reportLateError(selection, err) }
	tried := r.TriedKeys.With(selection.KeyIndex)
	if result > keypool.Accepted && c.keys.HasAvailableKey(r.Model, tried) {
		err = &provider.RepeatError{Err: err, Reason: provider.OtherKey, Next: provider.Repeat{TriedKeys: tried}}
	}
	return response, err
}

func (c *Client) reportResult(selection keypool.Selection, result keypool.Result, e *apperr.Error) {
	if e == nil {
		c.keys.ReportResult(selection, result, 0)
		return
	}
	c.keys.ReportResult(selection, result, e.RetryAfter)
}

// reportLateError reports an error that arrived in the body of a successful response. It
// ignores errors that do not concern the key.
func (c *Client) reportLateError(selection keypool.Selection, err error) {
	if result, e := classifyResult(err); result > keypool.Accepted {
		c.reportResult(selection, result, e)
	}
}

// classifyResult returns what the result of a call says about its key. It also returns the
// error as an *apperr.Error.
func classifyResult(err error) (result keypool.Result, e *apperr.Error) {
	if err == nil {
		return keypool.Accepted, nil
	}
	e = apperr.From(err)
	status, hasStatus := e.Details["upstream_status"].(int)
	switch {
	case e.Code == apperr.ProviderRateLimited, e.Code == apperr.ProviderQuotaExhausted && e.RetryAfter > 0:
		return keypool.RateLimited, e
	case e.Code == apperr.ProviderAuth && status == http.StatusForbidden:
		// The key may still be allowed to use other models.
		return keypool.ModelDenied, e
	case e.Code == apperr.ProviderAuth, e.Code == apperr.ProviderQuotaExhausted:
		return keypool.Rejected, e
	case hasStatus && status < http.StatusInternalServerError:
		return keypool.Accepted, e
	}
	return keypool.Inconclusive, e
}

// noKeyError is the error if no key outside of tried is available. which names these keys.
func (c *Client) noKeyError(model string, tried keypool.KeySet, which string) error {
	wait, suspended := c.keys.TimeUntilAvailable(model, tried)
	code, why := apperr.ProviderRateLimited, "rate-limits "+which+"; retry later"
	if suspended {
		code, why = apperr.ProviderAuth, "rejects "+which+"; check its credentials"
	}
	e := apperr.New(code, fmt.Sprintf("provider %s %s", c.name, why)).With("upstream_calls", 0)
	if wait > 0 {
		e = e.WithRetryAfter(wait)
	}
	return e
}
