package main

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/config"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// keyFlags is the settings of a key that were given, and their names.
type keyFlags struct {
	settings keyauthv1.KeySettings
	mask     []string
}

func (f *keyFlags) register(set *config.Set) {
	s := &f.settings
	f.add(set, "name", "name, for people", text(&s.Name))
	f.add(set, "scopes", "chat, embeddings, models, separated by commas; empty for all", words(&s.Scopes))
	f.add(set, "models", "models and routes it may use, separated by commas; empty for all", words(&s.Models))
	f.add(set, "tags", "words that rules may test, separated by commas", words(&s.Tags))
	f.add(set, "may-swap-model", "yes or no: whether an explicit model may be served by another", yesNo(&s.MaySwapModel))
	f.add(set, "baseline-model", "what the default would have been; empty for the account's", text(&s.BaselineModel))
	f.add(set, "capture", "full, redacted or none: what is kept of the content; empty for the account's", enum(&s.Capture, "CAPTURE_", keyauthv1.Capture_value))
	f.add(set, "error-format", "flat or openai: the shape of error bodies", enum(&s.ErrorFormat, "ERROR_FORMAT_", keyauthv1.ErrorFormat_value))
	f.add(set, "expires", "when it ends: 90d, 12h, 2027-01-31, a time as in RFC 3339, or never", expiry(&s.ExpiresAt))
	f.limits(set, "usd-per-day", "usd-per-month")
}

// limits adds the flags of limits alone, of which those of money go by the given
// names.
func (f *keyFlags) limits(set *config.Set, day, month string) {
	l := &keyauthv1.Limits{}
	f.settings.Limits = l
	f.add(set, "requests-per-minute", "0 for no limit", number(&l.RequestsPerMinute))
	f.add(set, "tokens-per-minute", "0 for no limit", number(&l.TokensPerMinute))
	f.add(set, "concurrent-requests", "0 for no limit", number(&l.ConcurrentRequests))
	f.add(set, day, "US dollars a UTC day, such as 2.50; 0 for no limit", money(&l.NanoUsdPerDay))
	f.add(set, month, "US dollars a UTC month, such as 50; 0 for no limit", money(&l.NanoUsdPerMonth))
}

// paths are the service's names of what has another one here.
var paths = map[string]string{
	"expires":             "expires_at",
	"requests-per-minute": "limits.requests_per_minute",
	"tokens-per-minute":   "limits.tokens_per_minute",
	"concurrent-requests": "limits.concurrent_requests",
	"usd-per-day":         "limits.nano_usd_per_day",
	"usd-per-month":       "limits.nano_usd_per_month",
	"budget-day":          "limits.nano_usd_per_day",
	"budget-month":        "limits.nano_usd_per_month",
}

func (f *keyFlags) add(set *config.Set, name, usage string, parse func(string) error) {
	set.Func(name, usage, func(v string) error {
		path, ok := paths[name]
		if !ok {
			path = strings.ReplaceAll(name, "-", "_")
		}
		f.mask = append(f.mask, path)
		return parse(v)
	})
}

func text(p *string) func(string) error {
	return func(v string) error {
		*p = v
		return nil
	}
}

func words(p *[]string) func(string) error {
	return func(v string) error {
		*p = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
		return nil
	}
}

func yesNo(p *bool) func(string) error {
	return func(v string) error {
		*p = v == "yes" || v == "true"
		if !*p && v != "no" && v != "false" {
			return errors.New("want yes or no")
		}
		return nil
	}
}

func enum[E ~int32](p *E, prefix string, values map[string]int32) func(string) error {
	return func(v string) error {
		n, ok := values[prefix+strings.ToUpper(v)]
		if v != "" && (!ok || n == 0) {
			return errors.New("no such choice; see --help")
		}
		*p = E(n)
		return nil
	}
}

func number(p *int64) func(string) error {
	return func(v string) (err error) {
		if *p, err = strconv.ParseInt(v, 10, 64); err != nil || *p < 0 {
			return errors.New("want a whole number that is not negative")
		}
		return nil
	}
}

// money is in US dollars, and exact.
func money(p *int64) func(string) error {
	return func(v string) error {
		usd, ok := new(big.Rat).SetString(v)
		if !ok || len(v) > 20 || strings.ContainsAny(v, "eEpPxX/_") {
			return errors.New("want US dollars such as 2.50")
		}
		nano := usd.Mul(usd, big.NewRat(1e9, 1))
		if !nano.IsInt() || nano.Sign() < 0 || !nano.Num().IsInt64() {
			return errors.New("want US dollars, with at most nine decimals and not negative")
		}
		*p = nano.Num().Int64()
		return nil
	}
}

func expiry(p **timestamppb.Timestamp) func(string) error {
	return func(v string) error {
		at, err := when(v, time.Now())
		if err == nil && !at.IsZero() {
			*p = timestamppb.New(at)
		}
		return err
	}
}

// when reads a time, or a length of time from now; never is the zero time.
func when(v string, now time.Time) (time.Time, error) {
	if v == "never" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, v); err == nil {
			return at, nil
		}
	}
	if days, ok := strings.CutSuffix(v, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 {
			return now.AddDate(0, 0, n), nil
		}
	}
	if d, err := time.ParseDuration(v); err == nil && d > 0 {
		return now.Add(d), nil
	}
	return time.Time{}, fmt.Errorf("want never, a length of time such as 90d or 12h, a day such as 2027-01-31, or a time as in RFC 3339")
}
