package evidence

import (
	"hash/fnv"
	"slices"
)

// groups is the number of groups of accounts. Each group has one vote on a shared
// correction, so that one account can spoil one vote at most.
const groups = 9

// minGroups is the number of groups that must have outcomes of a cell before its correction
// is shared. It also keeps a shared correction from showing what one account reported.
const minGroups = 3

// maxVoteWeight limits the weight of an account's outcomes of a cell within its group.
const maxVoteWeight = 200

func groupOf(accountID string) int {
	hash := fnv.New32a()
	hash.Write([]byte(accountID))
	return int(hash.Sum32() >> 4 % groups) //nolint:gosec // small
}

// ballot holds the outcomes of each group.
type ballot [groups]*account

// newBallot joins the accounts of each group, without what an account says about all models
// alike, and with equal limits for all accounts.
func newBallot(all map[string]*account) *ballot {
	b := &ballot{}
	for i := range b {
		b[i] = newAccount()
	}
	for id, a := range all {
		group, strictness := b[groupOf(id)], a.strictness()
		for c, s := range a.Cells {
			share := min(1, maxVoteWeight/s.Weight)
			sum := group.Cells[c]
			group.Cells[c] = sums{
				Residual: sum.Residual + share*(s.Residual-s.Weight*strictness), Weight: sum.Weight + share*s.Weight,
			}
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
		if len(all) >= minGroups {
			out[c] = weakestClaim(all)
		}
	}
	return out
}

// none is the group to leave out if all groups count.
const none = -1

// weakestClaim returns the value nearest to zero that lies within the middle half of the
// votes, less what may be noise. It is zero if the votes disagree on the sign.
func weakestClaim(votes []float64) float64 {
	slices.Sort(votes)
	trim := max(1, len(votes)/4)
	low, high := votes[trim], votes[len(votes)-1-trim]
	return max(low-noise, 0) + min(high+noise, 0)
}

// noise is the claim of a group that is not shared, as a probability.
const noise = 0.015

// sharedLevel returns how fine the shared corrections are that most accounts find better
// than the shipped weights. An account without enough later outcomes has no vote.
func sharedLevel(all map[string]*account, current int) int {
	votes, voters := [levels + 1]int{}, 0
	for _, a := range all {
		if a.Shared.Weight < minScored {
			continue
		}
		voters++
		for i := range levels {
			if a.Shared.Gain[i] > 0 {
				votes[i+1]++
			}
		}
	}
	best := 0
	for level := 1; level <= levels; level++ {
		if voters >= minGroups && 3*votes[level] > 2*voters && votes[level] >= votes[best] {
			best = level
		}
	}
	if best == 0 && current > 0 && 2*votes[current] > voters {
		return current
	}
	return best
}
