// Package failure explains why requests failed or were rejected. A Group counts the
// requests with the same cause: the same code and the same subject, such as the key, the
// limit or the requested model. The table of causes says for every code what the subject
// is, what happened in one sentence, and what to do next. The store counts the groups; the
// API package requests shows them.
package failure

import (
	"cmp"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// MaxGroups is the number of groups that a Summary lists. The rest are summed up in Other.
const MaxGroups = 30

// Key identifies the requests with one cause.
type Key struct {
	Code apperr.Code
	// Limit is the kind of limit that rejected the requests; empty for other causes.
	Limit Limit
	// Account is true if the limit is one of the account, and not of a key.
	Account bool
	// OtherKind is true if the requested model or route exists, but serves another kind of
	// request: chat or embeddings.
	OtherKind bool
	// Subject is the value by which the cause is grouped, such as the id of a key. It is
	// empty if the requests have no such value.
	Subject string
}

// Group counts the requests with one cause.
type Group struct {
	Key
	// Name is the display name of the subject; empty if it is the subject itself.
	Name     string
	Requests int64
	// Before counts the requests of the preceding period of the same length.
	Before int64
	// Oldest is the time of the oldest request, Newest the time of the newest one, and
	// NewestError its error message.
	Oldest, Newest time.Time
	NewestError    string
	// Steps are the counts over time, oldest first. Steps without requests are left out.
	Steps []Step
}

// Step counts the requests of one time step.
type Step struct {
	Start    time.Time
	Requests int64
}

// Summary lists the causes of all failed and rejected requests, the most frequent first.
type Summary struct {
	Requests int64
	Groups   []Group
	// OtherGroups and OtherRequests count what Groups leaves out.
	OtherGroups, OtherRequests int64
	// Codes counts all requests by error code, the most frequent first.
	Codes []CodeCount
}

// CodeCount counts the requests with an error code. The code can be empty.
type CodeCount struct {
	Code     apperr.Code
	Requests int64
}

// Counter builds a Summary. It holds at most twice MaxGroups groups, because clients can
// create any number of subjects.
type Counter struct {
	sum    Summary
	groups []Group
	codes  map[apperr.Code]int64
}

// Add adds the count of one step. The caller adds all steps of a group before those of
// another group, each group oldest first.
func (c *Counter) Add(g Group, step Step) {
	c.sum.Requests += step.Requests
	if c.codes == nil {
		c.codes = map[apperr.Code]int64{}
	}
	c.codes[g.Code] += step.Requests
	if n := len(c.groups); n == 0 || c.groups[n-1].Key != g.Key {
		if n == 2*MaxGroups {
			c.foldSmallGroups()
		}
		c.groups = append(c.groups, Group{Key: g.Key, Oldest: g.Oldest})
	}
	last := &c.groups[len(c.groups)-1]
	last.Requests += step.Requests
	last.Steps = append(last.Steps, step)
	if g.Newest.After(last.Newest) {
		last.Newest, last.NewestError, last.Name = g.Newest, g.NewestError, g.Name
	}
}

// Summary returns everything added so far.
func (c *Counter) Summary() Summary {
	c.foldSmallGroups()
	c.sum.Groups = c.groups
	c.sum.Codes = make([]CodeCount, 0, len(c.codes))
	for code, requests := range c.codes {
		c.sum.Codes = append(c.sum.Codes, CodeCount{code, requests})
	}
	slices.SortFunc(c.sum.Codes, func(a, b CodeCount) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Code, b.Code))
	})
	return c.sum
}

func (c *Counter) foldSmallGroups() {
	slices.SortStableFunc(c.groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), b.Newest.Compare(a.Newest))
	})
	for _, g := range c.groups[min(MaxGroups, len(c.groups)):] {
		c.sum.OtherGroups++
		c.sum.OtherRequests += g.Requests
	}
	c.groups = c.groups[:min(MaxGroups, len(c.groups))]
}
