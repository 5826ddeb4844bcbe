package replay

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/saturate"
)

// Point is what the same requests would cost, and how good they are expected to be, with one
// position of the dial.
type Point struct {
	Name string
	// Cost is in nano-USD. Quality is the mean predicted quality in thousandths.
	Cost    int64
	Quality float64
	// Dominated means that another point is at least as good and as cheap, and better in one
	// of both.
	Dominated bool
}

// Frontier sums up what positions of the dial would do with the same requests. The zero value
// is ready to use.
type Frontier struct {
	// Requests counts the requests of all points. Skipped counts those that are in none,
	// because a position would reject them, or because a cost or quality is unknown.
	Requests, Skipped int64

	sums map[string]*frontierSum
}

type frontierSum struct{ requests, cost, quality int64 }

// Add adds one request with its decision for each position. Positions in optional may lack a
// cost or quality: then they have no point.
func (f *Frontier) Add(decisions map[string]Decision, optional ...string) {
	for name, d := range decisions {
		if d.Candidate != (Candidate{}) && d.Cost != nil && d.Quality != 0 {
			continue
		}
		if !slices.Contains(optional, name) {
			f.Skipped++
			return
		}
		delete(decisions, name)
	}
	if f.sums == nil {
		f.sums = map[string]*frontierSum{}
	}
	f.Requests++
	for name, d := range decisions {
		if f.sums[name] == nil {
			f.sums[name] = &frontierSum{}
		}
		sum := f.sums[name]
		sum.requests++
		sum.cost, sum.quality = saturate.Add(sum.cost, *d.Cost), sum.quality+d.Quality
	}
}

// Points returns the points, the cheapest first.
func (f *Frontier) Points() []Point {
	var all []Point
	for name, sum := range f.sums {
		if sum.requests < f.Requests {
			continue // it would be the sum of other requests
		}
		all = append(all, Point{Name: name, Cost: sum.cost, Quality: float64(sum.quality) / float64(f.Requests)})
	}
	slices.SortFunc(all, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.Cost, b.Cost), cmp.Compare(b.Quality, a.Quality), cmp.Compare(a.Name, b.Name))
	})
	for i := range all {
		all[i].Dominated = slices.ContainsFunc(all, func(o Point) bool {
			return o.Cost <= all[i].Cost && o.Quality >= all[i].Quality && (o.Cost < all[i].Cost || o.Quality > all[i].Quality)
		})
	}
	return all
}
