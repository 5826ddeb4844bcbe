package upstream

import (
	"context"
	"fmt"
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
)

// maxCalls limits how many calls one attempt may make, even if the provider has more
// keys.
const maxCalls = 4

// callWithPool tries one key after another until the upstream neither rejects nor
// rate-limits the key. It returns the last error if no key is left or after maxCalls calls.
func (c *Client) callWithPool(ctx context.Context, r Request) (Response, error) {
	var tried keypool.KeySet
	var lastErr error
	for calls := 1; calls <= maxCalls; calls++ {
		selection, ok := c.keys.SelectKey(r.Model, tried)
		if !ok && lastErr == nil {
			return Response{}, c.noKeyError(r.Model)
		}
		if !ok {
			break
		}
		response, err := c.callWithKey(ctx, r, &c.headersByKey[selection.KeyIndex])
		result, e := classifyResult(err)
		c.reportResult(selection, result, e)
		if result <= keypool.Accepted {
			response.Calls, response.reportError = calls, func(err error) { c.reportLateError(selection, err) }
			return response, withCallCount(err, calls)
		}
		tried, lastErr = tried.With(selection.KeyIndex), withCallCount(err, calls)
	}
	return Response{}, lastErr
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

// withCallCount adds the number of upstream calls to an error if there was more than
// one.
func withCallCount(err error, calls int) error {
	if err == nil || calls == 1 {
		return err
	}
	return apperr.From(err).With("upstream_calls", calls)
}

func (c *Client) noKeyError(model string) error {
	wait, suspended := c.keys.TimeUntilAvailable(model)
	code, why := apperr.ProviderRateLimited, "rate-limits every configured key; retry later"
	if suspended {
		code, why = apperr.ProviderAuth, "rejects every configured key; check its credentials"
	}
	e := apperr.New(code, fmt.Sprintf("provider %s %s", c.name, why)).With("upstream_calls", 0)
	if wait > 0 {
		e = e.WithRetryAfter(wait)
	}
	return e
}
