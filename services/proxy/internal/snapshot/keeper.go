package snapshot

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

const (
	// checkInterval is how often the keeper checks for changes. After this time, a change
	// of a known key survives a crash of the machine. It survives a crash of the process at
	// once, because of the change files.
	checkInterval = 500 * time.Millisecond
	// saveInterval limits how long newly learned keys stay unsaved. A killed process loses
	// them.
	saveInterval = 30 * time.Second
	// refreshInterval is how old the confirmation times in the file may become while nothing
	// else changes. Known keys work for a limited time after their confirmation. If the
	// process is killed, that time is up to refreshInterval shorter.
	refreshInterval = 5 * time.Minute
	// retryInterval is the pause after a failed write.
	retryInterval = 5 * time.Second
)

// Source is the state that a Keeper writes.
type Source struct {
	Keys *keys.Cache
	// Policy returns the active policy, nil if there is none.
	Policy func() *policy.Policy
	// Drains returns what is drained. It returns the same pointer until that changes.
	Drains func() *decide.DrainSet
}

// Keeper writes snapshots when their sources change.
type Keeper struct {
	dir     *Dir
	source  Source
	failing atomic.Bool

	savedPolicy string
	savedDrains *decide.DrainSet
	savedKeys   keys.Revision
	// savedAt is when the keys were last written.
	savedAt time.Time
	// failedAt is when a write last failed.
	failedAt time.Time
}

// NewKeeper returns a keeper. The directory must already contain the current state of
// the source.
func NewKeeper(dir *Dir, from Source) *Keeper {
	// savedAt is zero, so the first update is written at once.
	k := &Keeper{dir: dir, source: from, savedKeys: from.Keys.Revision(), savedDrains: from.Drains()}
	if p := from.Policy(); p != nil {
		k.savedPolicy = p.Version()
	}
	return k
}

// IsFailing reports whether the last write failed. It is safe for concurrent use.
func (k *Keeper) IsFailing() bool { return k.failing.Load() }

// Run writes snapshots until ctx ends. Then it writes unsaved state a last time.
func (k *Keeper) Run(ctx context.Context) {
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if !k.failing.Load() || time.Since(k.failedAt) >= retryInterval {
				k.recordResult(k.save(k.isDue))
			}
		case <-ctx.Done():
			k.recordResult(k.save(func(now keys.Revision) bool { return now != k.savedKeys }))
			return
		}
	}
}

// save writes state that is not on disk yet. It writes a new policy and new drains at once,
// and the keys if isDue returns true for their revision.
func (k *Keeper) save(isDue func(keys.Revision) bool) error {
	return errors.Join(k.savePolicy(), k.saveDrains(), k.saveKeys(isDue))
}

func (k *Keeper) saveDrains() error {
	d := k.source.Drains()
	if d == k.savedDrains {
		return nil
	}
	if err := k.dir.SaveDrains(d); err != nil {
		return err
	}
	k.savedDrains = d
	return nil
}

func (k *Keeper) savePolicy() error {
	p := k.source.Policy()
	if p == nil || p.Version() == k.savedPolicy {
		return nil
	}
	if err := k.dir.SavePolicy(p); err != nil {
		return err
	}
	k.savedPolicy = p.Version()
	return nil
}

func (k *Keeper) saveKeys(isDue func(keys.Revision) bool) error {
	// Read the revision before the export. A change in between is then written twice
	// instead of never.
	now := k.source.Keys.Revision()
	if !isDue(now) {
		return nil
	}
	k.dir.rotateChanges()
	if err := k.dir.SaveKeys(k.source.Keys.Export()); err != nil {
		return err
	}
	k.savedKeys, k.savedAt = now, time.Now()
	return nil
}

func (k *Keeper) isDue(now keys.Revision) bool {
	age := time.Since(k.savedAt)
	switch {
	case now.Urgent != k.savedKeys.Urgent:
		return true
	case now.Changed != k.savedKeys.Changed:
		return age >= saveInterval
	}
	return now.Covered != k.savedKeys.Covered && age >= refreshInterval
}

func (k *Keeper) recordResult(err error) {
	if failed := k.failing.Swap(err != nil); err != nil {
		k.failedAt = time.Now()
		if !failed {
			k.dir.log.Error("snapshot write failed; a restart would lose recent keys or the policy", "error", err)
		}
	}
}
