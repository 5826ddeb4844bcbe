package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	defaultLimit = 50
	// MaxLimit is the maximum number of items per page.
	MaxLimit = 200
)

// AccountHeader selects the account of a request on the operator socket. The
// handler for browsers does not read it.
const AccountHeader = "X-Signalbox-Account"

// ParseParams parses the query string. It rejects unknown, repeated and malformed
// parameters, which would otherwise be ignored silently.
func ParseParams(r *http.Request, known ...string) (url.Values, error) {
	return ParseRepeatedParams(r, "", known...)
}

// ParseRepeatedParams is ParseParams, except that the parameter many may be
// repeated.
func ParseRepeatedParams(r *http.Request, many string, known ...string) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, apperr.New(apperr.InvalidRequest, "the query string of the URL is malformed")
	}
	for name, given := range values {
		if !slices.Contains(known, name) {
			return nil, InvalidParam(name, fmt.Sprintf("unknown parameter %q", name)).With("allowed", known)
		}
		if len(given) > 1 && name != many {
			return nil, InvalidParam(name, fmt.Sprintf("parameter %q is given more than once", name))
		}
	}
	return values, nil
}

// InvalidParam returns the error for an invalid parameter or field.
func InvalidParam(name, message string) *apperr.Error {
	return apperr.New(apperr.InvalidRequest, message).With("param", name)
}

// ParseQuery parses filter, from and to.
func ParseQuery(v url.Values, account string) (record.Query, error) {
	if account == "" { // only on the operator socket
		return record.Query{}, apperr.New(apperr.InvalidRequest, "set the account in the header "+AccountHeader)
	}
	terms, err := record.ParseFilter(v.Get("filter"))
	if err != nil {
		return record.Query{}, err
	}
	from, to, err := ParseTimes(v)
	if err != nil {
		return record.Query{}, err
	}
	return record.Query{Account: account, From: from, To: to, Terms: terms}, nil
}

// ParseTimes parses from and to. A time that is not given is zero.
func ParseTimes(v url.Values) (from, to time.Time, err error) {
	if from, err = parseTime("from", v.Get("from")); err != nil {
		return from, to, err
	}
	if to, err = parseTime("to", v.Get("to")); err != nil {
		return from, to, err
	}
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return from, to, InvalidParam("from", "from must be before to")
	}
	return from, to, nil
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
	return time.Time{}, InvalidParam(name, name+" must be a time such as 2026-11-14T12:00:00Z or a day such as 2026-11-14")
}

// ParseLimit parses the number of items per page.
func ParseLimit(text string) (int, error) {
	if text == "" {
		return defaultLimit, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > MaxLimit {
		return 0, InvalidParam("limit", fmt.Sprintf("limit must be a number from 1 to %d", MaxLimit))
	}
	return n, nil
}

// ParsePathID returns the id from the URL. An id that is not valid UTF-8 cannot
// exist, and gRPC could not send it.
func ParsePathID(r *http.Request, what string) (string, error) {
	id := r.PathValue("id")
	if !utf8.ValidString(id) {
		return "", NotFoundError(what)
	}
	return id, nil
}
