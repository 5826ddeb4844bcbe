package decide

import (
	"encoding/json"
	"slices"
	"strings"
)

// Numbers are values by name, in the order of the names and each name once.
// They are few, so that a list is less to make and to look through than a map.
type Numbers []Number

// Number is one of them.
type Number struct {
	Name  string
	Value int64
}

// NumbersOf are those of a map.
func NumbersOf(all map[string]int64) Numbers {
	if all == nil {
		return nil
	}
	n := make(Numbers, 0, len(all))
	for name, v := range all {
		n = append(n, Number{name, v})
	}
	return n.Sorted()
}

// Map has the same numbers.
func (n Numbers) Map() map[string]int64 {
	if n == nil {
		return nil
	}
	all := make(map[string]int64, len(n))
	for _, one := range n {
		all[one.Name] = one.Value
	}
	return all
}

// MarshalJSON writes an object.
func (n Numbers) MarshalJSON() ([]byte, error) { return json.Marshal(n.Map()) }

// Get finds a number by its name.
func (n Numbers) Get(name string) (int64, bool) {
	low, end := 0, len(n)
	for low < end {
		if mid := int(uint(low+end) >> 1); n[mid].Name < name { //nolint:gosec // both are lengths
			low = mid + 1
		} else {
			end = mid
		}
	}
	if low == len(n) || n[low].Name != name {
		return 0, false
	}
	return n[low].Value, true
}

// Of is the number of a name; 0 when there is none.
func (n Numbers) Of(name string) int64 {
	v, _ := n.Get(name)
	return v
}

// Sorted puts numbers in order that were written in any, in their own memory. Of
// those of one name the last stands.
func (n Numbers) Sorted() Numbers {
	if n.inOrder() {
		return n
	}
	slices.SortStableFunc(n, func(a, b Number) int { return strings.Compare(a.Name, b.Name) })
	kept := n[:0]
	for i, one := range n {
		if i+1 == len(n) || n[i+1].Name != one.Name {
			kept = append(kept, one)
		}
	}
	return kept
}

func (n Numbers) inOrder() bool {
	for i := 1; i < len(n); i++ {
		if n[i-1].Name >= n[i].Name {
			return false
		}
	}
	return true
}

// AppendJoined adds two lists to dst, which must be another, empty one. Of a name
// that both have, the second's number stands.
func AppendJoined(dst, under, over Numbers) Numbers {
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
