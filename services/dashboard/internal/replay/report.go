package replay

import (
	"cmp"
	"slices"
)

const (
	// maxLosers is the maximum number of rows that a report lists.
	maxLosers = 20
	// maxGroups is the maximum number of groups per breakdown. Further groups are
	// merged into one group.
	maxGroups = 200
)

// Report is the result of a replay. The zero value is ready to use. A Report is
// not safe for concurrent use. Its size does not grow with the number of requests.
type Report struct {
	Sums
	// Skipped counts requests whose decision inputs are unknown.
	Skipped int64
	// Losers lists the requests that become more expensive, largest increase first.
	// It has at most maxLosers rows.
	Losers []Row

	routes, models, keys groups
}

// Group is a subset of the requests. Only groups of keys have a Name. Other marks
// the group that merges all groups beyond maxGroups.
type Group struct {
	ID, Name string
	Other    bool
	Sums
}

// Add adds a request to all sums.
func (r *Report) Add(row Row) {
	r.addRow(&row)
	r.routes.addRow(row.Route, "", &row)
	r.models.addRow(row.Before.Candidate.Model, "", &row)
	r.keys.addRow(row.Key, row.KeyName, &row)
	r.Losers = insertCostlier(r.Losers, row, maxLosers)
}

// Routes returns the sums by requested model or route.
func (r *Report) Routes() []Group { return r.routes.sorted() }

// Models returns the sums by the model of the recorded decision. The empty model
// means that the request was rejected.
func (r *Report) Models() []Group { return r.models.sorted() }

// Keys returns the sums by API key.
func (r *Report) Keys() []Group { return r.keys.sorted() }

type groups struct {
	all   map[string]*Group
	other *Group
}

func (g *groups) addRow(id, name string, row *Row) {
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
	one.addRow(row)
}

// sorted returns the groups by absolute cost change, largest first. The merged
// group comes last.
func (g *groups) sorted() []Group {
	all := make([]Group, 0, len(g.all)+1)
	for _, one := range g.all {
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b Group) int {
		return cmp.Or(cmp.Compare(absolute(b.Difference()), absolute(a.Difference())), cmp.Compare(b.Flips, a.Flips), cmp.Compare(a.ID, b.ID))
	})
	if g.other != nil {
		all = append(all, *g.other)
	}
	return all
}

// absolute returns n without its sign. It returns uint64 because the smallest
// int64 has no positive counterpart.
func absolute(n int64) uint64 {
	if n < 0 {
		return uint64(-(n + 1)) + 1
	}
	return uint64(n)
}
