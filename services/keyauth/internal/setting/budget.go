package setting

import (
	"fmt"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

// The kinds of selectors.
const (
	KindKey   = "key"
	KindTag   = "tag"
	KindUser  = "user"
	KindAgent = "agent"
)

// Each as the value of a selector means that every key, user or agent without a budget of
// its own has the amounts for itself. Requests without a user or an agent share one.
const Each = "*"

const (
	// maxUserLength is the longest user that a proxy compares as it is.
	maxUserLength  = 128
	maxAgentLength = 32
)

// Budget limits what a group of requests may cost. Kind and Value are its selector.
type Budget struct {
	// ID stays the same while the selector stays the same.
	ID      string
	Name    string
	Kind    string
	Value   string
	Amounts spend.Budget
}

type amountField struct {
	name  string
	value int64
}

func (b *Budget) amounts() []amountField {
	a := b.Amounts
	return []amountField{
		{spend.PerHour, a.NanoUSDPerHour}, {spend.PerDay, a.NanoUSDPerDay}, {spend.PerWeek, a.NanoUSDPerWeek},
		{spend.PerMonth, a.NanoUSDPerMonth}, {spend.Total, a.NanoUSDTotal},
	}
}

// Validate normalizes the budget, or returns an error for the first invalid parameter.
func (b *Budget) Validate() error {
	b.Name, b.Value = strings.TrimSpace(b.Name), strings.TrimSpace(b.Value)
	switch {
	case !IsText(b.Name, 1, MaxNameLength):
		return InvalidParam("name", "a budget needs a name of 1 to 100 printable characters")
	case !slices.Contains([]string{KindKey, KindTag, KindUser, KindAgent}, b.Kind):
		return InvalidParam("kind", "the kind must be key, tag, user or agent")
	}
	if err := b.validateValue(); err != nil {
		return err
	}
	some := false
	for _, one := range b.amounts() {
		if one.value < 0 || one.value > MaxBudget {
			return InvalidParam("amounts", fmt.Sprintf("%q must be from 0 (no limit) to %d", one.name, int64(MaxBudget))).With("name", one.name)
		}
		some = some || one.value > 0
	}
	if !some {
		return InvalidParam("amounts", "a budget needs an amount for at least one period")
	}
	return nil
}

func (b *Budget) validateValue() error {
	each := b.Value == Each
	switch {
	case b.Kind == KindKey && !each:
		return InvalidParam("value", "a budget for keys is for each key: the value must be *. Set the budget of one key on the key")
	case b.Kind == KindTag && (each || !IsText(b.Value, 1, maxTagLength)):
		return InvalidParam("value", "name the tag, with 1 to 64 printable characters")
	case b.Kind == KindUser && !each && !IsUser(b.Value):
		return InvalidParam("value", "name the user, with 1 to 128 printable ASCII characters, or * for each user")
	case b.Kind == KindAgent && !each && !IsAgent(b.Value):
		return InvalidParam("value", "name the agent, with 1 to 32 of a-z, 0-9, dot, underscore and dash, or * for each agent")
	}
	return nil
}

// IsUser reports whether a proxy compares the text as it is with the users of requests.
func IsUser(text string) bool {
	return text != "" && len(text) <= maxUserLength && strings.TrimSpace(text) == text &&
		!strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// IsAgent reports whether the text can be the name of an agent.
func IsAgent(text string) bool {
	return text != "" && len(text) <= maxAgentLength && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}

// AppliesTo reports whether the budget can apply to requests with a key. A budget for each
// key does not apply to a key with a budget of its own.
func (b *Budget) AppliesTo(k *Key) bool {
	switch b.Kind {
	case KindKey:
		return k.Limits.NanoUSDPerDay == 0 && k.Limits.NanoUSDPerMonth == 0
	case KindTag:
		return slices.Contains(k.Tags, b.Value)
	}
	return true
}

// AuditFields returns the fields of the budget for the audit log.
func (b *Budget) AuditFields() audit.Fields {
	m := audit.Fields{"name": b.Name, "kind": b.Kind, "value": b.Value}
	for _, one := range b.amounts() {
		m[one.name] = one.value
	}
	return m
}
