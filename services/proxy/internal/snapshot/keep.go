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
	// lookEvery leaves a change of a known key half a second until a crash of
	// the machine does not undo it; one of the process never does.
	lookEvery = 500 * time.Millisecond
	// saveEvery is how much of what was learned a killed process may lose.
	saveEvery = 30 * time.Second
	// coverEvery is how old the file may make keys of which nothing new was
	// learned. It costs a killed process that much of their hard age, and
	// spares an idle one the writing.
	coverEvery = 5 * time.Minute
	// retryEvery is the pause after a write that failed.
	retryEvery = 5 * time.Second
)

// Source is what the keeper writes down.
type Source struct {
	Keys *keys.Cache
	// Policy returns the active policy, nil while there is none.
	Policy func() *policy.Policy
}

// Keeper writes snapshots as their sources change.
type Keeper struct {
	dir     *Dir
	from    Source
	failing atomic.Bool

	policy string
	keys   keys.Revision
	// saved and failed are when a write last went well and did not.
	saved  time.Time
	failed time.Time
}

// NewKeeper makes a keeper for sources that hold what the directory holds.
func NewKeeper(dir *Dir, from Source) *Keeper {
	// Nothing was saved yet, so what is learned first is written at once.
	k := &Keeper{dir: dir, from: from, keys: from.Keys.Revision()}
	if p := from.Policy(); p != nil {
		k.policy = p.Version()
	}
	return k
}

// Failing reports whether the last write failed. It is safe for concurrent
// use.
func (k *Keeper) Failing() bool { return k.failing.Load() }

// Run writes until ctx ends, and what is new once more then.
func (k *Keeper) Run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if !k.failing.Load() || time.Since(k.failed) >= retryEvery {
				k.note(k.save(k.due))
			}
		case <-ctx.Done():
			k.note(k.save(func(now keys.Revision) bool { return now != k.keys }))
			return
		}
	}
}

// save writes what is not on disk yet: a policy at once, keys when due.
func (k *Keeper) save(due func(keys.Revision) bool) error {
	return errors.Join(k.savePolicy(), k.saveKeys(due))
}

func (k *Keeper) savePolicy() error {
	p := k.from.Policy()
	if p == nil || p.Version() == k.policy {
		return nil
	}
	if err := k.dir.SavePolicy(p); err != nil {
		return err
	}
	k.policy = p.Version()
	return nil
}

func (k *Keeper) saveKeys(due func(keys.Revision) bool) error {
	// Taken before the export: what changes in between is written twice rather
	// than never.
	now := k.from.Keys.Revision()
	if !due(now) {
		return nil
	}
	k.dir.turn()
	if err := k.dir.SaveKeys(k.from.Keys.Export()); err != nil {
		return err
	}
	k.keys, k.saved = now, time.Now()
	return nil
}

func (k *Keeper) due(now keys.Revision) bool {
	age := time.Since(k.saved)
	switch {
	case now.Urgent != k.keys.Urgent:
		return true
	case now.Changed != k.keys.Changed:
		return age >= saveEvery
	}
	return now.Covered != k.keys.Covered && age >= coverEvery
}

func (k *Keeper) note(err error) {
	if failed := k.failing.Swap(err != nil); err != nil {
		k.failed = time.Now()
		if !failed {
			k.dir.log.Error("snapshots cannot be written; a restart would know less", "error", err)
		}
	}
}
