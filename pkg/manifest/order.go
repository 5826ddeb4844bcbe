package manifest

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"sort"
)

func (v *verifier) reportUnmatched() {
	for _, m := range sortByPosition(v.pendingManifest) {
		v.report.Missing.add(m)
	}
	for _, r := range sortByPosition(v.pendingExport) {
		v.report.Added.add(r)
	}
}

func sortByPosition(rows map[string]row) []row {
	return slices.SortedFunc(maps.Values(rows), func(a, b row) int { return cmp.Compare(a.index, b.index) })
}

// reportMoved reports the rows that were moved. It reads the manifest again to find their ids.
func (v *verifier) reportMoved(manifest io.ReadSeeker) error {
	moved := findMoved(v.order)
	if len(moved) == 0 {
		return nil
	}
	if _, err := manifest.Seek(0, io.SeekStart); err != nil {
		return err
	}
	again := newManifestReader(manifest)
	for {
		m, ok, err := again.next()
		if err != nil || !ok {
			return err
		}
		if moved[m.index] {
			v.report.Reordered.add(m)
		}
	}
}

// findMoved returns the smallest set of numbers whose removal leaves order ascending. These are all
// numbers outside its longest ascending subsequence. Negative numbers are ignored.
func findMoved(order []int) map[int]bool {
	order = slices.DeleteFunc(slices.Clone(order), func(at int) bool { return at < 0 })
	if slices.IsSorted(order) {
		return nil
	}
	// Of all ascending subsequences of length n+1, consider the one with the smallest last element.
	// ends[n] is the index of that element. before[i] is the index of the element before i in its
	// subsequence, or -1.
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
