package keys

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// other returns a change of another account's key.
func other(version int64) Change {
	id := strconv.FormatInt(version, 10)
	return Change{Version: version, AccountID: "b" + id, KeyID: "k" + id, Principal: active(version)}
}

// If keys are created all the time, every response is older than some change.
func TestAChangeOfAnotherKeyOvertakesNothing(t *testing.T) {
	svc, c, key := setup(t)
	c.PushReached(1)
	svc.answer = func() (*Principal, error) {
		c.Apply(other(2))
		return active(1), nil
	}
	resolves(t, c, key)
	require.Equal(t, 1, svc.asked)
}

func TestAChangeSupersedesOlderResponses(t *testing.T) {
	for name, change := range map[string]func(c *Cache){
		"of the key":     func(c *Cache) { c.Apply(Change{Version: 2, AccountID: "a", KeyID: "k", Principal: active(2)}) },
		"of the account": func(c *Cache) { c.Apply(Change{Version: 2, AccountID: "a"}) },
		"not told":       func(c *Cache) { c.PushReached(2) },
		"of many others": func(c *Cache) {
			for v := range int64(maxRecent + 1) {
				c.Apply(other(2 + v))
			}
		},
		"before a restart": func(c *Cache) { c.Import(Snapshot{Version: 2}) },
	} {
		t.Run(name, func(t *testing.T) {
			svc, c, key := setup(t)
			c.PushReached(1)
			svc.answer = func() (*Principal, error) {
				change(c)
				svc.set(active(2+maxRecent), nil)
				return active(1), nil
			}
			resolves(t, c, key)
			require.Equal(t, 2, svc.asked)
			require.LessOrEqual(t, len(c.recent.latest), maxRecent)
		})
	}
}

func TestForgettingAChangeKeepsALaterOneOfTheSame(t *testing.T) {
	svc, c, key := setup(t)
	c.PushReached(1)
	for v := range int64(2) {
		c.Apply(Change{Version: 2 + v, AccountID: "a"})
	}
	for v := range int64(maxRecent - 1) { // the first is forgotten
		c.Apply(other(4 + v))
	}
	svc.set(active(2), nil)
	fails(t, c, key, apperr.AuthUnavailable)
	svc.set(active(3), nil)
	resolves(t, c, key)
}
