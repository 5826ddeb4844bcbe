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
	for _, entry := range v {
		all[entry.Name] = entry.Value
	}
	return all
}

// MarshalJSON writes an object with one field per name.
func (v NamedValues) MarshalJSON() ([]byte, error) { return json.Marshal(v.ToMap()) }

// Get returns the value of a name, and whether the list contains the name.
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

// GetOrZero returns the value of a name, or 0 if the list does not contain the name.
func (v NamedValues) GetOrZero(name string) int64 {
	value, _ := v.Get(name)
	return value
}

// SortUnique sorts the values in place and removes duplicate names. The last value
// of a name wins.
func (v NamedValues) SortUnique() NamedValues {
	if v.isSorted() {
		return v
	}
	slices.SortStableFunc(v, func(a, b NamedValue) int { return strings.Compare(a.Name, b.Name) })
	unique := v[:0]
	for i, entry := range v {
		if i+1 == len(v) || v[i+1].Name != entry.Name {
			unique = append(unique, entry)
		}
	}
	return unique
}

func (v NamedValues) isSorted() bool {
	for i := 1; i < len(v); i++ {
		if v[i-1].Name >= v[i].Name {
			return false
		}
	}
	return true
}

// Without returns the entries that known does not contain. Merged with known, they are the
// same list again.
func (v NamedValues) Without(known NamedValues) NamedValues {
	var out NamedValues
	for _, entry := range v {
		for len(known) > 0 && known[0].Name < entry.Name {
			known = known[1:]
		}
		if len(known) == 0 || known[0] != entry {
			out = append(out, entry)
		}
	}
	return out
}

// AppendMerged appends the entries of under and over to dst, sorted by name. For a
// name in both lists, the value of over wins. dst must be empty and must not share
// memory with either list.
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
