package modellist

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

func twoPlaces(t *testing.T) *policy.Policy {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(`version: 1
providers: {sandbox: {}, spare: {kind: sandbox}}
models:
  m:
    aliases: [m-2026]
    endpoints: [{provider: spare, model: x, price: {input: "4", output: "8"}, context: 9000}, {provider: sandbox, model: x}]
    price: {input: "1", output: "2"}
    context: 5000
    efforts: [low, high]
    max_output: 700
routes: {auto: {select: [{target: m}]}}
defaults: {unlisted: deny}
`), cat)
	require.NoError(t, err)
	return p
}

// A model card describes the cheapest endpoint, a pinned card its own endpoint, and a route's card
// the largest context window.
func TestCardsDescribeAnEndpoint(t *testing.T) {
	p := twoPlaces(t)
	m, _ := p.Model("m")
	plain, pinned := cheapestCard(m), pinnedCard(m, "spare")
	require.Equal(t, "sandbox", plain.OwnedBy)
	require.Equal(t, "0.000001", plain.Pricing.Prompt)
	require.Equal(t, int64(5000), plain.ContextLength)
	require.Equal(t, "spare/m", pinned.ID)
	require.Equal(t, "0.000004", pinned.Pricing.Prompt)
	require.Equal(t, int64(9000), pinned.MaxModelLen)
	require.Equal(t, int64(700), pinned.MaxOutput)
	require.Equal(t, int64(9000), routeCard(p, &p.Routes[0]).ContextLength)
}

func TestCardsHaveTheNamesOfTheKey(t *testing.T) {
	m, _ := twoPlaces(t).Model("m")
	for _, tt := range []struct{ list, want []string }{
		{nil, []string{"m"}},
		{[]string{"m", "m-2026"}, []string{"m"}},
		{[]string{"spare/m"}, []string{"spare/m"}},
		{[]string{"m-2026"}, []string{"m-2026"}},
		{[]string{"other"}, nil},
	} {
		var got []string
		for _, c := range modelCards(&keys.Principal{Models: tt.list}, m) {
			got = append(got, c.ID)
		}
		require.Equal(t, tt.want, got, tt.list)
	}
}

func idsOf(l *List) (ids []string) {
	for _, c := range l.ForOpenAI().Data {
		ids = append(ids, c.ID)
	}
	return ids
}

// The presets are listed like the route auto. A name with an effort is known, and is listed for
// a key that may use only that effort.
func TestPresetsAndEfforts(t *testing.T) {
	p := twoPlaces(t)
	every := New(p, &keys.Principal{})
	require.Equal(t, []string{"auto", "auto:economy", "auto:balanced", "auto:quality", "m"}, idsOf(every))
	c, ok := every.Find("m#low")
	require.True(t, ok)
	require.Equal(t, [2]string{"m#low", "sandbox"}, [2]string{c.ID, c.OwnedBy})
	c, ok = every.Find("m@spare#high")
	require.True(t, ok)
	require.Equal(t, [2]string{"m@spare#high", "spare"}, [2]string{c.ID, c.OwnedBy})
	for _, name := range []string{"m#max", "m#", "auto#low", "n#low"} {
		_, ok = every.Find(name)
		require.False(t, ok, name)
	}
	some := New(p, &keys.Principal{Models: []string{"auto:quality", "m#low"}})
	require.Equal(t, []string{"auto:quality", "m#low"}, idsOf(some))
	_, ok = some.Find("m#high")
	require.False(t, ok)
}
