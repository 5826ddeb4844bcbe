package web

import (
	"errors"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// allLimitsJSON is every limit there is, of an account or of a key; 0 is none.
type allLimitsJSON struct {
	limitsJSON
	budgetJSON
}

func toLimitsJSON(l *keyauthv1.Limits) allLimitsJSON {
	return allLimitsJSON{
		limitsJSON{l.GetRequestsPerMinute(), l.GetTokensPerMinute(), l.GetConcurrentRequests()},
		budgetJSON{l.GetNanoUsdPerDay(), l.GetNanoUsdPerMonth()},
	}
}

// allLimitsBody is what an account may say about its limits.
type allLimitsBody struct {
	limitsBody
	budgetBody
}

type limitsBody struct {
	RequestsPerMinute  field[int64] `json:"requests_per_minute"`
	TokensPerMinute    field[int64] `json:"tokens_per_minute"`
	ConcurrentRequests field[int64] `json:"concurrent_requests"`
}

type budgetBody struct {
	NanoUSDPerDay   field[int64] `json:"nano_usd_per_day"`
	NanoUSDPerMonth field[int64] `json:"nano_usd_per_month"`
}

// sentLimit is one limit of a body.
type sentLimit struct {
	name string
	field[int64]
}

func (l *limitsBody) all() []sentLimit {
	return []sentLimit{
		{"requests_per_minute", l.RequestsPerMinute}, {"tokens_per_minute", l.TokensPerMinute},
		{"concurrent_requests", l.ConcurrentRequests},
	}
}

func (m *budgetBody) all() []sentLimit {
	return []sentLimit{{"nano_usd_per_day", m.NanoUSDPerDay}, {"nano_usd_per_month", m.NanoUSDPerMonth}}
}

func limitsOf(l *limitsBody, m *budgetBody) *keyauthv1.Limits {
	return &keyauthv1.Limits{
		RequestsPerMinute: l.RequestsPerMinute.Value, TokensPerMinute: l.TokensPerMinute.Value,
		ConcurrentRequests: l.ConcurrentRequests.Value,
		NanoUsdPerDay:      m.NanoUSDPerDay.Value, NanoUsdPerMonth: m.NanoUSDPerMonth.Value,
	}
}

// limitMask names which limits the object of that name has, in the words of the
// account service; one that is null resets all that could be in it. A negative
// limit is refused.
func limitMask(object string, null bool, all []sentLimit) (paths []string, err error) {
	for _, one := range all {
		if one.Value < 0 {
			param := object + "." + one.name
			return nil, badParam(param, param+" must be 0, for no limit, or more")
		}
		if null || one.Given {
			paths = append(paths, "limits."+one.name)
		}
	}
	return paths, nil
}

// asSent names what the account service refuses as the body does, in which
// money may be in an object of its own.
func asSent(err error, money string) error {
	var refused *apperr.Error
	if err = peer(err); !errors.As(err, &refused) {
		return err
	}
	name, _ := refused.Details["name"].(string)
	switch param := refused.Details["param"]; {
	case param == "webhook_url":
		return refused.With("param", "webhook.url")
	case param == "limits" && strings.HasPrefix(name, "nano_usd_"):
		return refused.With("param", money+"."+name)
	case param == "limits" && name != "":
		return refused.With("param", "limits."+name)
	}
	return err
}
