package alert

import (
	"math"
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	maxName        = 80
	maxMinRequests = 1_000_000
)

// Validate returns INVALID_REQUEST for the first problem of a rule. operator says whether the
// account operates the installation, and channels are the ids of its channels.
func (r *Rule) Validate(operator bool, channels []string) error {
	spec, ok := r.Kind.Spec()
	switch {
	case !ok || spec.Operator && !operator:
		return invalid("kind", "this kind of alert does not exist, or only the operator's account can use it")
	case !isName(r.Name):
		return invalid("name", "enter a name of at most 80 characters")
	case math.IsNaN(r.Threshold) || r.Threshold < spec.Min || r.Threshold > spec.Max:
		return invalid("threshold", "the threshold must be from "+spec.Unit.FormatValue(spec.Min)+" to "+spec.Unit.FormatValue(spec.Max))
	case len(spec.Windows) > 0 && !slices.Contains(spec.Windows, r.Window), len(spec.Windows) == 0 && r.Window != 0:
		return invalid("window_seconds", "this kind of alert does not support this window")
	case r.MinRequests < 0 || r.MinRequests > maxMinRequests || !spec.Requests && r.MinRequests != 0:
		return invalid("min_requests", "min_requests must be from 0 to 1,000,000, and 0 for kinds that do not count requests")
	case len(r.Channels) > MaxChannels || len(slices.Compact(slices.Sorted(slices.Values(r.Channels)))) != len(r.Channels):
		return invalid("channels", "a channel is listed twice")
	}
	for _, id := range r.Channels {
		if !slices.Contains(channels, id) {
			return invalid("channels", "a channel does not exist in this account")
		}
	}
	return nil
}

func isName(s string) bool {
	return strings.TrimSpace(s) != "" && utf8.RuneCountInString(s) <= maxName && !strings.ContainsFunc(s, unicode.IsControl)
}

// Validate returns INVALID_REQUEST for the first problem of a channel. checkURL rejects URLs
// to which the account must not send.
func (c *Channel) Validate(checkURL func(address string) error) error {
	if !isName(c.Name) {
		return invalid("name", "enter a name of at most 80 characters")
	}
	if err := c.Quiet.Validate(); err != nil {
		return invalid("quiet_hours", err.Error())
	}
	switch c.Kind {
	case Webhook, Slack:
		if err := checkURL(c.Address); err != nil {
			return invalid("address", "the address must be an https URL with a public host and without a user name, such as https://example.com/hook")
		}
	case Email:
		if a, err := mail.ParseAddress(c.Address); err != nil || a.Address != c.Address || strings.ContainsFunc(c.Address, unicode.IsControl) {
			return invalid("address", "the address must be an e-mail address, such as team@example.com")
		}
	default:
		return invalid("kind", "kind must be webhook, slack or email")
	}
	return nil
}

// MaskedAddress returns what users may see of the address. URLs can contain tokens, so only
// their host is shown.
func (c *Channel) MaskedAddress() string {
	if c.Kind == Email {
		return c.Address
	}
	scheme, rest, _ := strings.Cut(c.Address, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, "?")
	return scheme + "://" + host + "/…"
}

func invalid(param, message string) error {
	return apperr.New(apperr.InvalidRequest, message).With("param", param)
}

// truncate returns a time with the precision of the store.
func truncate(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
