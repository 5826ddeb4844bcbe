package evidence

import (
	"hash/fnv"
	"slices"
)

// groups is the number of groups of accounts. Each group has one vote on a shared
// correction, so that one account can spoil one vote at most.
const groups = 25

// minGroups is the number of groups that must agree before a correction is shared. A hostile
// account cannot make up the number, because it disagrees. The number also keeps a shared
// correction from showing what one account reported.
const minGroups = 4

func groupOf(accountID string) int {
	hash := fnv.New32a()
	hash.Write([]byte(accountID))
	return int(hash.Sum32() >> 4 % groups) //nolint:gosec // small
}

// ballot holds the outcomes of each group.
type ballot [groups]*account

// newBallot joins the accounts of each group, without what an account says about all models
// alike.
func newBallot(all map[string]*account) *ballot {
	b := &ballot{}
	for i := range b {
		b[i] = newAccount()
	}
	for id, a := range all {
		group, strictness := b[groupOf(id)], a.strictness()
		for c, s := range a.Cells {
			sum := group.Cells[c]
			group.Cells[c] = sums{Residual: sum.Residual + s.Residual - s.Weight*strictness, Weight: sum.Weight + s.Weight}
		}
	}
	return b
}

// corrections returns the shared corrections of the cells up to a level, without the vote
// of one group. Use none to count all groups.
func (b *ballot) corrections(level, without int) corrections {
	votes := map[Cell][]float64{}
	for i, group := range b {
		if i == without {
			continue
		}
		for c := range group.Cells {
			if c.level() < level {
				votes[c] = append(votes[c], group.correction(c, levels, 0, nil))
			}
		}
	}
	out := corrections{}
	for c, all := range votes {
		if claim := middleClaim(all); claim != 0 || len(all) >= minGroups {
			out[c] = claim
		}
	}
	return out
}

// none is the group to leave out if all groups count.
const none = -1

// middleClaim returns the median of the votes, less what may be noise. It is zero unless
// minGroups agree with it. One more vote, however extreme, moves the median by half the
// distance between neighbours.
func middleClaim(votes []float64) float64 {
	slices.Sort(votes)
	n := len(votes)
	median := (votes[(n-1)/2] + votes[n/2]) / 2
	agree := 0
	for _, v := range votes {
		if v > noise && median > 0 || v < -noise && median < 0 {
			agree++
		}
	}
	if agree < minGroups {
		return 0
	}
	return max(median-noise, 0) + min(median+noise, 0)
}

// noise is the claim of a group that is not shared, as a probability.
const noise = 0.02

// sharedLevel returns how fine the shared corrections are that most accounts find better
// than the shipped weights, and than the next coarser ones. An account without enough later
// outcomes has no vote.
func sharedLevel(all map[string]*account) int {
	votes, voters := [levels + 1]int{}, 0
	for _, a := range all {
		if a.Shared.Weight < minScored {
			continue
		}
		voters++
		for i := range levels {
			if a.Shared.Gain[i] > 0 && (i == 0 || a.Shared.Step[i] > 0) {
				votes[i+1]++
			}
		}
	}
	best := 0
	for level := 1; level <= levels; level++ {
		if votes[level] >= minGroups && 2*votes[level] > voters && votes[level] >= votes[best] {
			best = level
		}
	}
	return best
}
