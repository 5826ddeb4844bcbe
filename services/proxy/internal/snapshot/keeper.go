package snapshot

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

const (
	// checkInterval limits how long a change of a known key takes to survive a crash of
	// the machine. Change files make it survive a crash of the process at once.
	checkInterval = 500 * time.Millisecond
	// saveInterval is how much learned state a killed process may lose.
	saveInterval = 30 * time.Second
	// refreshInterval is how old the confirmation times in the file may become while
	// nothing else changes. A killed process loses that much of the keys' hard age. An
	// idle process writes only this often.
	refreshInterval = 5 * time.Minute
	// retryInterval is the pause after a failed write.
	retryInterval = 5 * time.Second
)

// Source is the state that a Keeper writes.
type Source struct {
	Keys *keys.Cache
	// Policy returns the active policy, nil if there is none.
	Policy func() *policy.Policy
}

// Keeper writes snapshots when their sources change.
type Keeper struct {
	dir     *Dir
	source  Source
	failing atomic.Bool

	savedPolicy string
	savedKeys   keys.Revision
	// savedAt is when a write last succeeded, failedAt when one last failed.
	savedAt  time.Time
	failedAt time.Time
}

// NewKeeper returns a keeper for sources that contain the same as the directory.
func NewKeeper(dir *Dir, from Source) *Keeper {
	// savedAt is zero, so the first update is written at once.
	k := &Keeper{dir: dir, source: from, savedKeys: from.Keys.Revision()}
	if p := from.Policy(); p != nil {
		k.savedPolicy = p.Version()
	}
	return k
}

// IsFailing reports whether the last write failed. It is safe for concurrent use.
func (k *Keeper) IsFailing() bool { return k.failing.Load() }

// Run writes snapshots until ctx ends, and writes unsaved state once more then.
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

// save writes what is not on disk yet: the policy at once, keys if isDue says so.
func (k *Keeper) save(due func(keys.Revision) bool) error {
	return errors.Join(k.savePolicy(), k.saveKeys(due))
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

func (k *Keeper) saveKeys(due func(keys.Revision) bool) error {
	// Read the revision before the export: a change in between is then written twice
	// instead of never.
	now := k.source.Keys.Revision()
	if !due(now) {
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
			k.dir.log.Error("snapshot write failed; after a restart, recent keys or policy are missing", "error", err)
		}
	}
}
