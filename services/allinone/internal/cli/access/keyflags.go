package access

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

// keyFlags holds the key settings that were set with flags. mask lists the fields of these settings.
type keyFlags struct {
	settings keyauthv1.KeySettings
	mask     []string
}

func (f *keyFlags) addAllFlags(set *config.Set) {
	s := &f.settings
	f.addFlag(set, "name", "display name", parseText(&s.Name))
	f.addFlag(set, "scopes", "allowed endpoints: chat, embeddings, models, feedback, separated by commas; empty allows all", parseWords(&s.Scopes))
	f.addFlag(set, "models", "allowed models and routes, separated by commas; empty allows all", parseWords(&s.Models))
	f.addFlag(set, "tags", "tags that policy rules can match, separated by commas", parseWords(&s.Tags))
	f.addFlag(set, "may-swap-model", "yes or no: whether another model may serve a request that names a model", parseYesNo(&s.MaySwapModel))
	f.addFlag(set, "baseline-model", "model to compare costs with; empty uses the account's baseline model", parseText(&s.BaselineModel))
	f.addFlag(set, "capture", "stored content of requests and responses: full, redacted or none; empty uses the account's setting", parseEnum(&s.Capture, "CAPTURE_", keyauthv1.Capture_value))
	f.addFlag(set, "error-format", "format of error bodies: flat or openai", parseEnum(&s.ErrorFormat, "ERROR_FORMAT_", keyauthv1.ErrorFormat_value))
	f.addFlag(set, "expires", "expiry: 90d, 12h, 2027-01-31, an RFC 3339 time, or never", parseExpiry(&s.ExpiresAt))
	f.addFlag(set, "user", "end user of all requests with this key, for records and budgets; empty lets clients name the user", parseText(&s.User))
	f.addFlag(set, "agent", "agent of all requests with this key, for records and budgets; empty lets clients name the agent", parseText(&s.Agent))
	f.addLimitFlags(set, "usd-per-day", "usd-per-month")
}

// addLimitFlags adds the flags of the limits. The names of the two budget flags differ
// between commands: day is the flag of the daily budget, month of the monthly budget.
func (f *keyFlags) addLimitFlags(set *config.Set, day, month string) {
	l := &keyauthv1.Limits{}
	f.settings.Limits = l
	f.addFlag(set, "requests-per-minute", "maximum number of requests per minute; 0 for no limit", parseCount(&l.RequestsPerMinute))
	f.addFlag(set, "tokens-per-minute", "maximum number of tokens per minute; 0 for no limit", parseCount(&l.TokensPerMinute))
	f.addFlag(set, "concurrent-requests", "maximum number of concurrent requests; 0 for no limit", parseCount(&l.ConcurrentRequests))
	f.addFlag(set, day, "budget in US dollars per UTC day, such as 2.50; 0 for no limit", parseUSD(&l.NanoUsdPerDay))
	f.addFlag(set, month, "budget in US dollars per UTC month, such as 50; 0 for no limit", parseUSD(&l.NanoUsdPerMonth))
}

// fieldPaths maps a flag to its field mask path, if the path differs from the name of the flag.
var fieldPaths = map[string]string{
	"expires":             "expires_at",
	"requests-per-minute": "limits.requests_per_minute",
	"tokens-per-minute":   "limits.tokens_per_minute",
	"concurrent-requests": "limits.concurrent_requests",
	"usd-per-day":         "limits.nano_usd_per_day",
	"usd-per-month":       "limits.nano_usd_per_month",
	"budget-day":          "limits.nano_usd_per_day",
	"budget-month":        "limits.nano_usd_per_month",
}

func (f *keyFlags) addFlag(set *config.Set, name, usage string, parse func(string) error) {
	set.Func(name, usage, func(v string) error {
		path, ok := fieldPaths[name]
		if !ok {
			path = strings.ReplaceAll(name, "-", "_")
		}
		f.mask = append(f.mask, path)
		return parse(v)
	})
}

func parseText(p *string) func(string) error {
	return func(v string) error {
		*p = v
		return nil
	}
}

func parseWords(p *[]string) func(string) error {
	return func(v string) error {
		*p = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
		return nil
	}
}

func parseYesNo(p *bool) func(string) error {
	return func(v string) error {
		*p = v == "yes" || v == "true"
		if !*p && v != "no" && v != "false" {
			return errors.New("must be yes or no")
		}
		return nil
	}
}

func parseEnum[E ~int32](p *E, prefix string, values map[string]int32) func(string) error {
	return func(v string) error {
		n, ok := values[prefix+strings.ToUpper(v)]
		if v != "" && (!ok || n == 0) {
			return errors.New("unknown value; see --help")
		}
		*p = E(n)
		return nil
	}
}

func parseCount(p *int64) func(string) error {
	return func(v string) (err error) {
		if *p, err = strconv.ParseInt(v, 10, 64); err != nil || *p < 0 {
			return errors.New("must be a whole number, 0 or more")
		}
		return nil
	}
}

// parseUSD parses an exact amount of US dollars into nano-USD.
func parseUSD(p *int64) func(string) error {
	return func(v string) error {
		usd, ok := new(big.Rat).SetString(v)
		if !ok || len(v) > 20 || strings.ContainsAny(v, "eEpPxX/_") {
			return errors.New("must be an amount in US dollars, such as 2.50")
		}
		nano := usd.Mul(usd, big.NewRat(1e9, 1))
		if !nano.IsInt() || nano.Sign() < 0 || !nano.Num().IsInt64() {
			return errors.New("must be an amount in US dollars, 0 or more, with at most nine decimals")
		}
		*p = nano.Num().Int64()
		return nil
	}
}

func parseExpiry(p **timestamppb.Timestamp) func(string) error {
	return func(v string) error {
		at, err := parseTimeOrDuration(v, time.Now())
		if err == nil && !at.IsZero() {
			*p = timestamppb.New(at)
		}
		return err
	}
}

// parseTimeOrDuration parses a time, or a duration from now. It returns the zero time for "never".
func parseTimeOrDuration(v string, now time.Time) (time.Time, error) {
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
	return time.Time{}, fmt.Errorf("must be never, a duration such as 90d or 12h, a date such as 2027-01-31, or an RFC 3339 time")
}
