package decide

import (
	"encoding/json"
	"slices"
	"strings"
)

// NamedValues is a list of values sorted by name, with unique names. The lists are
// short, so building and searching them is cheaper than a map.
type NamedValues []NamedValue

// NamedValue is one entry of NamedValues.
type NamedValue struct {
	Name  string
	Value int64
}

// NamedValuesFromMap converts a map; nil stays nil.
func NamedValuesFromMap(all map[string]int64) NamedValues {
	if all == nil {
		return nil
	}
	values := make(NamedValues, 0, len(all))
	for name, v := range all {
		values = append(values, NamedValue{name, v})
	}
	return values.SortUnique()
}

// ToMap converts the values to a map; nil stays nil.
func (v NamedValues) ToMap() map[string]int64 {
	if v == nil {
		return nil
	}
	all := make(map[string]int64, len(v))
	for _, one := range v {
		all[one.Name] = one.Value
	}
	return all
}

// MarshalJSON writes an object.
func (v NamedValues) MarshalJSON() ([]byte, error) { return json.Marshal(v.ToMap()) }

// Get returns the value of a name, and whether there is one.
func (v NamedValues) Get(name string) (int64, bool) {
	low, end := 0, len(v)
	for low < end {
		if mid := int(uint(low+end) >> 1); v[mid].Name < name { //nolint:gosec // both are lengths
			low = mid + 1
		} else {
			end = mid
		}
	}
	if low == len(v) || v[low].Name != name {
		return 0, false
	}
	return v[low].Value, true
}

// GetOrZero returns the value of a name; 0 when there is none.
func (n NamedValues) GetOrZero(name string) int64 {
	v, _ := n.Get(name)
	return v
}

// SortUnique sorts the values in place and removes duplicate names. The last value
// of a name wins.
func (v NamedValues) SortUnique() NamedValues {
	if v.isSorted() {
		return v
	}
	slices.SortStableFunc(v, func(a, b NamedValue) int { return strings.Compare(a.Name, b.Name) })
	kept := v[:0]
	for i, one := range v {
		if i+1 == len(v) || v[i+1].Name != one.Name {
			kept = append(kept, one)
		}
	}
	return kept
}

func (v NamedValues) isSorted() bool {
	for i := 1; i < len(v); i++ {
		if v[i-1].Name >= v[i].Name {
			return false
		}
	}
	return true
}

// AppendMerged appends the merged lists to dst, which must be empty and share no
// memory with them. For a name in both lists, the value of over wins.
func AppendMerged(dst, under, over NamedValues) NamedValues {
	dst = slices.Grow(dst, len(under)+len(over))
	for len(under) > 0 && len(over) > 0 {
		switch c := strings.Compare(under[0].Name, over[0].Name); {
		case c < 0:
			dst, under = append(dst, under[0]), under[1:]
		case c > 0:
			dst, over = append(dst, over[0]), over[1:]
		default:
			under = under[1:]
		}
	}
	return append(append(dst, under...), over...)
}
