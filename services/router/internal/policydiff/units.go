package policydiff

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/policy"
)

// numberFormat formats an integer of the compiled policy as the document writes it.
type numberFormat func(int64) string

// fieldFormats are the formats by type and by the field's name in JSON. The document writes
// other numbers as the compiled policy has them.
var fieldFormats = map[reflect.Type]map[string]numberFormat{
	reflect.TypeFor[policy.Rule]():       {"min_quality": decimals(3)},
	reflect.TypeFor[policy.Aim]():        {"share": decimals(3)},
	reflect.TypeFor[policy.Breaker]():    {"error_rate": decimals(3)},
	reflect.TypeFor[policy.Test]():       {"budget_used": decimals(1)},
	reflect.TypeFor[policy.Experiment](): {"share": decimals(4), "nano_usd_per_day": decimals(9)},
	reflect.TypeFor[catalog.Model]():     {"quality": decimals(3)},
	reflect.TypeFor[catalog.Cache]():     {"ttl_seconds": formatSeconds},
}

// numberFormatOf returns the format of a field, which has this name in JSON; nil if it has none.
func numberFormatOf(owner reflect.Value, field reflect.Type, name string) numberFormat {
	if !holdsNumbers(field) {
		return nil
	}
	switch x := owner.Interface().(type) {
	case catalog.Price, catalog.Tier:
		if name != "above" {
			return formatPrice
		}
	case policy.Condition:
		if x.Field == policy.FieldBudget {
			return decimals(1)
		}
		return decimals(0) // not nil, because the other document's condition may have a unit
	}
	return fieldFormats[owner.Type()][name]
}

// holdsNumbers reports whether a type is a number, or a pointer to one or a map of them.
func holdsNumbers(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t == reflect.TypeFor[int64]()
}

// writtenName returns the name that the document has for a field, given its name in JSON.
func writtenName(name string) string {
	switch name {
	case "nano_usd_per_day":
		return "daily_usd"
	case "ttl_seconds":
		return "ttl"
	}
	return name
}

// decimals formats a number that counts units of 10^-places: decimals(3)(550) is 0.55.
func decimals(places int) numberFormat {
	return func(n int64) string {
		text := fmt.Sprintf("%0*d", places+1, n)
		whole, fraction := text[:len(text)-places], strings.TrimRight(text[len(text)-places:], "0")
		if fraction == "" {
			return whole
		}
		return whole + "." + fraction
	}
}

func formatPrice(perToken int64) string { return "$" + catalog.FormatPerMillion(perToken) + " per 1M" }

func formatSeconds(n int64) string { return config.FormatDuration(time.Duration(n) * time.Second) }

func formatWindow(w policy.Window) string {
	return fmt.Sprintf("%02d:%02d-%02d:%02d", w.From/60, w.From%60, w.To/60, w.To%60)
}
