package catalog_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// priced is the part of a shipped row that price checks use.
type priced struct {
	ID        string  `json:"id"`
	Kind      string  `json:"kind"`
	Context   int64   `json:"context"`
	Prices    prices  `json:"prices"`
	Endpoints []place `json:"endpoints"`
}

type place struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Prices   prices `json:"prices,omitempty"`
}

type prices []catalog.Price

func (list prices) slipped(times, over int64) prices {
	var all prices
	for _, p := range list {
		p.Source = ""
		tiers := p.Tiers
		p.Tiers = nil
		for _, n := range []*int64{&p.Input, &p.Output, &p.CacheRead, &p.CacheWrite, &p.CacheWrite1h} {
			*n = *n * times / over
		}
		for _, t := range tiers {
			for _, n := range []*int64{&t.Input, &t.Output, &t.CacheRead, &t.CacheWrite, &t.CacheWrite1h} {
				*n = *n * times / over
			}
			p.Tiers = append(p.Tiers, t)
		}
		all = append(all, p)
	}
	return all
}

// slipped is the row with wrong prices at one endpoint, or at all for -1.
func (m priced) slipped(at int, times, over int64) priced {
	places := m.Endpoints
	m.Endpoints = nil
	if at < 0 {
		m.Prices = m.Prices.slipped(times, over)
	}
	for i, e := range places {
		if at < 0 || at == i {
			e.Prices = e.Prices.slipped(times, over)
		}
		m.Endpoints = append(m.Endpoints, e)
	}
	return m
}

// Published tables have been wrong by a factor of 1000. Any such row, as a whole or at one
// endpoint, is rejected by name. Free models are exempt.
func TestAnyShippedRowAThousandTimesOffIsRefused(t *testing.T) {
	providers, err := os.ReadFile("providers.json")
	require.NoError(t, err)
	text, err := os.ReadFile("models.json")
	require.NoError(t, err)
	var all struct {
		Models []priced `json:"models"`
	}
	require.NoError(t, json.Unmarshal(text, &all))
	rows := make([]json.RawMessage, len(all.Models))
	put := func(i int, m priced) {
		rows[i], err = json.Marshal(m)
		require.NoError(t, err)
	}
	parse := func() error {
		text, err := json.Marshal(map[string]any{"models": rows})
		require.NoError(t, err)
		_, err = catalog.Parse(providers, text)
		return err
	}
	for i, m := range all.Models {
		put(i, m.slipped(-1, 1, 1))
	}
	require.NoError(t, parse())
	for i, m := range all.Models {
		for at := -1; at < len(m.Endpoints); at++ {
			if m.Prices[0].Input == 0 || at >= 0 && m.Endpoints[at].Prices == nil {
				continue
			}
			put(i, m.slipped(at, 1000, 1))
			require.ErrorContains(t, parse(), `"`+m.ID+`"`, "dear at %d", at)
			put(i, m.slipped(at, 1, 1000))
			require.ErrorContains(t, parse(), `"`+m.ID+`"`, "cheap at %d", at)
		}
		put(i, m.slipped(-1, 1, 1))
	}
}

// A price that is far from all others can be confirmed.
func TestAnUnusualPriceCanBeMeant(t *testing.T) {
	var rows []string
	row := func(id, input, output, more string) string {
		return `{"id":"` + id + `","kind":"chat","context":512,"prices":[{"effective":"2026-01-01T00:00:00Z","input":` + input + `,"output":` + output + `}]` + more +
			`,"endpoints":[{"provider":"p","model":"` + id + `"}]}`
	}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		rows = append(rows, row(id, "1000000", "2000000", ""))
	}
	_, err := parse(strings.Join(append(rows, row("dear", "150000000", "600000000", "")), ","))
	require.ErrorContains(t, err, `"dear"`)
	require.ErrorContains(t, err, "unusual_price")
	_, err = parse(strings.Join(append(rows, row("dear", "150000000", "600000000", `,"unusual_price":true`)), ","))
	require.NoError(t, err)
}
