package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	defaultLimit = 50
	maxLimit     = 200
)

// parseParams parses the query string. It rejects unknown, repeated and malformed
// parameters, which would otherwise be ignored silently.
func parseParams(r *http.Request, known ...string) (url.Values, error) {
	return parseRepeatedParams(r, "", known...)
}

// parseRepeatedParams is parseParams, except that the parameter many may be
// repeated.
func parseRepeatedParams(r *http.Request, many string, known ...string) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, apperr.New(apperr.InvalidRequest, "the query string of the URL is malformed")
	}
	for name, given := range values {
		if !slices.Contains(known, name) {
			return nil, invalidParam(name, fmt.Sprintf("unknown parameter %q", name)).With("allowed", known)
		}
		if len(given) > 1 && name != many {
			return nil, invalidParam(name, fmt.Sprintf("parameter %q is given more than once", name))
		}
	}
	return values, nil
}

func invalidParam(name, message string) *apperr.Error {
	return apperr.New(apperr.InvalidRequest, message).With("param", name)
}

func parseQuery(v url.Values, account string) (record.Query, error) {
	if account == "" { // only on the operator socket
		return record.Query{}, apperr.New(apperr.InvalidRequest, "set the account in the header "+AccountHeader)
	}
	terms, err := record.ParseFilter(v.Get("filter"))
	if err != nil {
		return record.Query{}, err
	}
	from, err := parseTime("from", v.Get("from"))
	if err != nil {
		return record.Query{}, err
	}
	to, err := parseTime("to", v.Get("to"))
	if err != nil {
		return record.Query{}, err
	}
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return record.Query{}, invalidParam("from", "from must be before to")
	}
	return record.Query{Account: account, From: from, To: to, Terms: terms}, nil
}

// parseTime parses a time in RFC 3339, or a date. A date means the start of that day
// in UTC.
func parseTime(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() >= 1970 {
			return t, nil
		}
	}
	return time.Time{}, invalidParam(name, name+" must be a time such as 2026-11-14T12:00:00Z or a day such as 2026-11-14")
}

func parseLimit(text string) (int, error) {
	if text == "" {
		return defaultLimit, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxLimit {
		return 0, invalidParam("limit", fmt.Sprintf("limit must be a number from 1 to %d", maxLimit))
	}
	return n, nil
}
