package decide_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
)

// NamedValues match the map that they came from.
func TestNumbersAreAMap(t *testing.T) {
	for _, all := range []map[string]int64{nil, {}, {"a": 1}, {"b": 0, "a": -1, "": 7, "c_d": 3, "c": 4}} {
		n := decide.NamedValuesFromMap(all)
		require.Equal(t, all, n.ToMap())
		want, err := json.Marshal(all)
		require.NoError(t, err)
		got, err := json.Marshal(n)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
		for _, name := range []string{"", "a", "b", "c", "c_d", "d", "aa"} {
			v, ok := n.Get(name)
			_, has := all[name]
			require.Equal(t, has, ok, name)
			require.Equal(t, all[name], v, name)
			require.Equal(t, all[name], n.GetOrZero(name), name)
		}
	}
}

func TestOfOneNameTheLastNumberStands(t *testing.T) {
	n := decide.NamedValues{{Name: "b", Value: 1}, {Name: "a", Value: 2}, {Name: "b", Value: 3}, {Name: "a", Value: 4}, {Name: "c", Value: 5}, {Name: "c", Value: 6}}.SortUnique()
	require.Equal(t, decide.NamedValues{{Name: "a", Value: 4}, {Name: "b", Value: 3}, {Name: "c", Value: 6}}, n)
	require.Equal(t, decide.NamedValues{{Name: "a", Value: 2}}, decide.NamedValues{{Name: "a", Value: 1}, {Name: "a", Value: 2}}.SortUnique())
}

func TestJoinedTheSecondStands(t *testing.T) {
	under, over := decide.NamedValues{{Name: "a", Value: 1}, {Name: "c", Value: 1}, {Name: "e", Value: 1}}, decide.NamedValues{{Name: "b", Value: 2}, {Name: "c", Value: 2}, {Name: "f", Value: 2}}
	require.Equal(t, decide.NamedValues{{Name: "a", Value: 1}, {Name: "b", Value: 2}, {Name: "c", Value: 2}, {Name: "e", Value: 1}, {Name: "f", Value: 2}}, decide.AppendMerged(nil, under, over))
	require.Equal(t, under, decide.AppendMerged(nil, under, nil))
	require.Equal(t, over, decide.AppendMerged(nil, nil, over))
}

func TestWithoutIsTheOppositeOfMerging(t *testing.T) {
	known := decide.NamedValues{{Name: "b", Value: 1}, {Name: "d", Value: 1}, {Name: "e", Value: 1}}
	added := decide.NamedValues{{Name: "a", Value: 1}, {Name: "c", Value: 1}, {Name: "d", Value: 2}, {Name: "f", Value: 1}}
	all := decide.AppendMerged(nil, known, added)
	require.Equal(t, added, all.Without(known))
	require.Equal(t, all, all.Without(nil))
	require.Empty(t, all.Without(all))
}
