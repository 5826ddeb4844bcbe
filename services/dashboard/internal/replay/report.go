package replay

import (
	"cmp"
	"slices"
)

const (
	// maxLosers is how many rows a report shows, and maxGroups how many groups
	// it tells apart; what is beyond falls into one.
	maxLosers = 20
	maxGroups = 200
)

// Report is what a replay found. The zero one is ready; it is for one caller at
// a time, and its size does not grow with the requests.
type Report struct {
	Sums
	// Skipped are requests whose inputs are not known.
	Skipped int64
	// Losers are what would have cost most more, the biggest first.
	Losers []Row

	routes, models, keys groups
}

// Group is a part of the requests. A name stands beside the id of a key; Other
// is all that had no room.
type Group struct {
	ID, Name string
	Other    bool
	Sums
}

// Add takes a request.
func (r *Report) Add(row Row) {
	r.add(&row)
	r.routes.add(row.Route, "", &row)
	r.models.add(row.Before.Target.Model, "", &row)
	r.keys.add(row.Key, row.KeyName, &row)
	r.Losers = lose(r.Losers, row, maxLosers)
}

// Routes are by what the client asked for.
func (r *Report) Routes() []Group { return r.routes.sorted() }

// Models are by what was chosen before; the empty one was refused.
func (r *Report) Models() []Group { return r.models.sorted() }

// Keys are by who asked.
func (r *Report) Keys() []Group { return r.keys.sorted() }

type groups struct {
	all   map[string]*Group
	other *Group
}

func (g *groups) add(id, name string, row *Row) {
	one := g.all[id]
	switch {
	case one != nil:
	case len(g.all) < maxGroups:
		if g.all == nil {
			g.all = map[string]*Group{}
		}
		one = &Group{ID: id, Name: name}
		g.all[id] = one
	default:
		if g.other == nil {
			g.other = &Group{Other: true}
		}
		one = g.other
	}
	one.add(row)
}

// sorted is by how much money changes, either way, with what had no room at
// the end.
func (g *groups) sorted() []Group {
	all := make([]Group, 0, len(g.all)+1)
	for _, one := range g.all {
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b Group) int {
		return cmp.Or(cmp.Compare(size(b.Difference()), size(a.Difference())), cmp.Compare(b.Flips, a.Flips), cmp.Compare(a.ID, b.ID))
	})
	if g.other != nil {
		all = append(all, *g.other)
	}
	return all
}

// size is a number without its sign. The smallest one has no counterpart among
// its like.
func size(n int64) uint64 {
	if n < 0 {
		return uint64(-(n + 1)) + 1
	}
	return uint64(n)
}
