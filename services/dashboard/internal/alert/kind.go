package alert

import (
	"fmt"
	"strings"
	"time"
)

// Kind is what a rule measures.
type Kind string

// The kinds of rules.
const (
	ErrorRate    Kind = "error_rate"
	FallbackRate Kind = "fallback_rate"
	Latency      Kind = "latency"
	Spend        Kind = "spend"
	Budget       Kind = "budget"

	ProviderDown       Kind = "provider_down"
	CredentialsMissing Kind = "credentials_missing"
	CertificateEnding  Kind = "certificate_ending"
	Completeness       Kind = "completeness"
)

// Unit is the unit of a threshold.
type Unit string

// The units.
const (
	Percent      Unit = "percent"
	Milliseconds Unit = "ms"
	NanoUSD      Unit = "nano_usd"
	Days         Unit = "days"
	// Occurrence means that the value is 0 or more, and that the rule has no threshold.
	Occurrence Unit = "none"
)

// KindSpec describes a kind. The page, the API and the messages take their texts from here.
type KindSpec struct {
	Kind Kind
	Name string
	// About says when a rule of the kind fires.
	About string
	// Operator is true if only the operator's account may use the kind.
	Operator bool
	Unit     Unit
	// Default, Min and Max are thresholds in the unit.
	Default, Min, Max float64
	// Windows are the allowed windows, the default first; empty if the kind has none.
	Windows []time.Duration
	// Requests means that MinRequests applies.
	Requests bool
	// Link is the page that shows the cause.
	Link string
	// Falling means that a lower value is worse.
	Falling bool
}

var (
	rateWindows  = []time.Duration{15 * time.Minute, 5 * time.Minute, time.Hour, 24 * time.Hour}
	spendWindows = []time.Duration{time.Hour, 15 * time.Minute, 24 * time.Hour}
)

var kinds = []KindSpec{
	{Kind: ErrorRate, Name: "Error rate", About: "Too many requests fail. Requests that Signalbox rejects (limits, budgets, unknown models, invalid requests) do not count.", Unit: Percent, Default: 5, Min: 0.1, Max: 100, Windows: rateWindows, Requests: true, Link: "/errors"},
	{Kind: FallbackRate, Name: "Fallback rate", About: "Too many requests are served by a fallback.", Unit: Percent, Default: 10, Min: 0.1, Max: 100, Windows: rateWindows, Requests: true, Link: "/requests?q=route%3Afallback"},
	{Kind: Latency, Name: "Latency", About: "The 95th percentile of the response time is too high.", Unit: Milliseconds, Default: 10_000, Min: 1, Max: 3_600_000, Windows: rateWindows, Requests: true, Link: "/requests"},
	{Kind: Spend, Name: "Spend", About: "Requests cost too much in a short time.", Unit: NanoUSD, Default: 10e9, Min: 1, Max: 9e15, Windows: spendWindows, Link: "/spend"},
	{Kind: Budget, Name: "Budget", About: "The budget of the account or of a key is nearly used up.", Unit: Percent, Default: 80, Min: 1, Max: 100, Link: "/spend"},

	{Kind: ProviderDown, Name: "Provider down", About: "All models of a provider are unavailable.", Operator: true, Unit: Occurrence, Default: 1, Min: 1, Max: 1, Link: "/providers"},
	{Kind: CredentialsMissing, Name: "Credentials missing", About: "A provider has no credential, or rejects it.", Operator: true, Unit: Occurrence, Default: 1, Min: 1, Max: 1, Link: "/providers"},
	{Kind: CertificateEnding, Name: "Certificate ending", About: "A certificate of the services ends soon.", Operator: true, Unit: Days, Default: 14, Min: 1, Max: 365, Link: "/system", Falling: true},
	{Kind: Completeness, Name: "Ledger completeness", About: "Records are missing or were lost before they were stored.", Operator: true, Unit: Occurrence, Default: 1, Min: 1, Max: 1, Link: "/system"},
}

// Kinds returns the specifications of all kinds.
func Kinds() []KindSpec { return append([]KindSpec(nil), kinds...) }

// Spec returns the specification of a kind. ok is false for an unknown kind.
func (k Kind) Spec() (spec KindSpec, ok bool) {
	for _, s := range kinds {
		if s.Kind == k {
			return s, true
		}
	}
	return KindSpec{}, false
}

// Runbook returns the section of the documentation about the kind.
func (k Kind) Runbook() string { return "/docs/alerts#" + strings.ReplaceAll(string(k), "_", "-") }

// FormatValue formats a value or a threshold.
func (u Unit) FormatValue(v float64) string {
	switch u {
	case Percent:
		return trimZeros(fmt.Sprintf("%.1f", v)) + " %"
	case Milliseconds:
		return trimZeros(fmt.Sprintf("%.2f", v/1000)) + " s"
	case NanoUSD:
		return fmt.Sprintf("$%.2f", v/1e9)
	case Days:
		return trimZeros(fmt.Sprintf("%.1f", v)) + " days"
	}
	return trimZeros(fmt.Sprintf("%.0f", v))
}

func trimZeros(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
