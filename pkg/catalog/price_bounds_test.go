package catalog_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
)

func usd(in, out float64) catalog.Price {
	p := catalog.Price{Input: int64(in * 1e6), Output: int64(out * 1e6)}
	p.CacheRead, p.CacheWrite = p.Input, p.Input
	return p
}

func TestCheckPrice(t *testing.T) {
	with := func(p catalog.Price, change func(*catalog.Price)) catalog.Price { change(&p); return p }
	good := map[string]struct {
		kind  catalog.Kind
		price catalog.Price
	}{
		"the cheapest":      {catalog.Chat, usd(0.02, 0.03)},
		"the dearest":       {catalog.Chat, usd(150, 600)},
		"the same both":     {catalog.Chat, usd(0.15, 0.15)},
		"free":              {catalog.Chat, usd(0, 0)},
		"an embedding":      {catalog.Embeddings, usd(0.008, 0)},
		"a dear embedding":  {catalog.Embeddings, usd(0.2, 0)},
		"an hour's writing": {catalog.Chat, with(usd(10, 50), func(p *catalog.Price) { p.CacheRead, p.CacheWrite1h = 250_000, 20_000_000 })},
		"a tier":            {catalog.Chat, with(usd(10, 50), func(p *catalog.Price) { p.Tiers = []catalog.Tier{{Above: 9, Input: 20_000_000, Output: 75_000_000}} })},
	}
	for name, g := range good {
		require.NoError(t, catalog.CheckPrice(g.kind, g.price), name)
	}
	bad := map[string]struct {
		kind  catalog.Kind
		price catalog.Price
	}{
		"an embedding a thousand times off": {catalog.Embeddings, usd(100, 0)},
		"dollars for a thousand tokens":     {catalog.Chat, usd(2000, 10_000)},
		"cents for dollars":                 {catalog.Chat, usd(0.0005, 0.001)},
		"reading a tenth of what it is":     {catalog.Chat, usd(0.192, 15)},
		"writing all but free":              {catalog.Chat, usd(20, 0.5)},
		"reading free, writing not":         {catalog.Chat, usd(0, 1)},
		"an embedding that writes":          {catalog.Embeddings, usd(0.1, 0.1)},
		"a cache dearer than none":          {catalog.Chat, with(usd(1, 2), func(p *catalog.Price) { p.CacheRead = 1_000_001 })},
		"writing to a cache":                {catalog.Chat, with(usd(1, 2), func(p *catalog.Price) { p.CacheWrite1h = 5_000_000 })},
		"a cache all but free":              {catalog.Chat, with(usd(1, 2), func(p *catalog.Price) { p.CacheRead = 100 })},
		"a tier of another unit":            {catalog.Chat, with(usd(0.1, 0.5), func(p *catalog.Price) { p.Tiers = []catalog.Tier{{Above: 9, Input: 100_000_000, Output: 500_000_000}} })},
	}
	for name, b := range bad {
		require.Error(t, catalog.CheckPrice(b.kind, b.price), name)
	}
}

// An entry that is wrong by a factor of 1000 is rejected by name.
func TestParseNamesTheRowThatCannotBeTrue(t *testing.T) {
	price := func(in, out int64) string {
		return fmt.Sprintf(`{"effective":"2026-01-01T00:00:00Z","input":%d,"output":%d}`, in, out)
	}
	at := func(more string) string { return `"endpoints":[{"provider":"p","model":"x"` + more + `}]` }
	for name, row := range map[string]string{
		"embedding": `{"id":"light","kind":"embeddings","context":512,"prices":[` + price(100_000_000, 0) + `],` + at("") + `}`,
		"later":     `{"id":"light","kind":"chat","context":512,"prices":[` + price(1000, 2000) + `,{"effective":"2027-01-01T00:00:00Z","input":1000000,"output":2000000}],` + at("") + `}`,
		"window":    `{"id":"light","kind":"chat","context":512000000,"prices":[` + price(1000, 2000) + `],` + at("") + `}`,
		"place":     `{"id":"light","kind":"chat","context":512,"prices":[` + price(1000, 2000) + `],` + at(`,"prices":[`+price(900_000_000, 2000)+`]`) + `}`,
		"peers": `{"id":"light","kind":"chat","context":512,"prices":[` + price(100_000, 200_000) + `],"endpoints":[{"provider":"p","model":"x"},` +
			`{"provider":"p","model":"y","prices":[` + price(100_000_000, 200_000_000) + `]}]}`,
		"source":  `{"id":"light","kind":"chat","context":512,"prices":[{"effective":"2026-01-01T00:00:00Z","input":1000,"output":1000,"source":"hearsay"}],` + at("") + `}`,
		"quality": `{"id":"light","kind":"chat","context":512,"quality":{"general":7000},` + at("") + `}`,
		"day":     `{"id":"light","kind":"chat","context":512,"retires":"soon",` + at("") + `}`,
		"status":  `{"id":"light","kind":"chat","context":512,"status":"tired",` + at("") + `}`,
		"wire":    `{"id":"light","kind":"chat","context":512,` + at(`,"wire":{"refuse":["model"]}`) + `}`,
		"alias":   `{"id":"light","kind":"chat","context":512,` + at("") + `},{"id":"other","kind":"chat","context":512,"aliases":["light"],"endpoints":[{"provider":"p","model":"y"}]}`,
	} {
		_, err := parse(row)
		require.ErrorContains(t, err, `"light"`, name)
	}
}
