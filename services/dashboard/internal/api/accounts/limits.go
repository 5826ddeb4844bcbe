package accounts

import (
	"errors"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// allLimitsJSON holds all limits of an account or a key; 0 means no limit.
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

type allLimitsBody struct {
	limitsBody
	budgetBody
}

type limitsBody struct {
	RequestsPerMinute  httpapi.PatchField[int64] `json:"requests_per_minute"`
	TokensPerMinute    httpapi.PatchField[int64] `json:"tokens_per_minute"`
	ConcurrentRequests httpapi.PatchField[int64] `json:"concurrent_requests"`
}

type budgetBody struct {
	NanoUSDPerDay   httpapi.PatchField[int64] `json:"nano_usd_per_day"`
	NanoUSDPerMonth httpapi.PatchField[int64] `json:"nano_usd_per_month"`
}

type sentLimit struct {
	name string
	httpapi.PatchField[int64]
}

func (l *limitsBody) listLimits() []sentLimit {
	return []sentLimit{
		{"requests_per_minute", l.RequestsPerMinute}, {"tokens_per_minute", l.TokensPerMinute},
		{"concurrent_requests", l.ConcurrentRequests},
	}
}

func (m *budgetBody) listLimits() []sentLimit {
	return []sentLimit{{"nano_usd_per_day", m.NanoUSDPerDay}, {"nano_usd_per_month", m.NanoUSDPerMonth}}
}

func toLimits(l *limitsBody, m *budgetBody) *keyauthv1.Limits {
	return &keyauthv1.Limits{
		RequestsPerMinute: l.RequestsPerMinute.Value, TokensPerMinute: l.TokensPerMinute.Value,
		ConcurrentRequests: l.ConcurrentRequests.Value,
		NanoUsdPerDay:      m.NanoUSDPerDay.Value, NanoUsdPerMonth: m.NanoUSDPerMonth.Value,
	}
}

// buildLimitMask lists the given limits of an object by keyauth's field names. If
// the object is null, it lists all its limits, which resets them. It rejects
// negative limits.
func buildLimitMask(object string, null bool, all []sentLimit) (paths []string, err error) {
	for _, one := range all {
		if one.Value < 0 {
			param := object + "." + one.name
			return nil, httpapi.InvalidParam(param, param+" must be 0 (no limit) or greater")
		}
		if null || one.Given {
			paths = append(paths, "limits."+one.name)
		}
	}
	return paths, nil
}

// toBodyError replaces the parameter name in an error of keyauth with the name in
// the request body. budgetObject is the object of the body that holds the budgets.
func toBodyError(err error, budgetObject string) error {
	var rejection *apperr.Error
	if err = httpapi.ToAccountsError(err); !errors.As(err, &rejection) {
		return err
	}
	name, _ := rejection.Details["name"].(string)
	switch param := rejection.Details["param"]; {
	case param == "webhook_url":
		return rejection.With("param", "webhook.url")
	case param == "limits" && strings.HasPrefix(name, "nano_usd_"):
		return rejection.With("param", budgetObject+"."+name)
	case param == "limits" && name != "":
		return rejection.With("param", "limits."+name)
	}
	return err
}
