package manifest

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"sort"
)

// leftovers are the rows whose other half never came.
func (v *verifier) leftovers() {
	for _, m := range inOrder(v.want) {
		v.report.Missing.add(m)
	}
	for _, r := range inOrder(v.got) {
		v.report.Added.add(r)
	}
}

func inOrder(rows map[string]row) []row {
	return slices.SortedFunc(maps.Values(rows), func(a, b row) int { return cmp.Compare(a.at, b.at) })
}

// reordered reads the manifest once more, for the ids of rows that were moved.
func (v *verifier) reordered(manifest io.ReadSeeker) error {
	moved := moved(v.order)
	if len(moved) == 0 {
		return nil
	}
	if _, err := manifest.Seek(0, io.SeekStart); err != nil {
		return err
	}
	again := newLines(manifest)
	for {
		m, ok, err := again.next()
		if err != nil || !ok {
			return err
		}
		if moved[m.at] {
			v.report.Reordered.add(m)
		}
	}
}

// moved is the fewest numbers that must be taken out of the order so that the
// others rise: all that are not in its longest rising part.
func moved(order []int) map[int]bool {
	order = slices.DeleteFunc(slices.Clone(order), func(at int) bool { return at < 0 })
	if slices.IsSorted(order) {
		return nil
	}
	// ends[n] is where the lowest end of all rising parts of n+1 numbers
	// stands, before[i] where the number before that of i in its part does.
	var ends []int
	before := make([]int, len(order))
	for i, at := range order {
		n := sort.Search(len(ends), func(n int) bool { return order[ends[n]] >= at })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		}
		ends[n] = i
	}
	out := map[int]bool{}
	for _, at := range order {
		out[at] = true
	}
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		delete(out, order[i])
	}
	return out
}
