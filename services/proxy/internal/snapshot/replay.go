package snapshot

import (
	"fmt"
	"maps"
	"slices"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

// replayChanges applies the change files to a snapshot, starting with the file numbered since. A
// snapshot must not be used without all of them, because a missing change may be a
// revocation. The files stay until a later snapshot covers them. Nothing is appended to
// these files, because their last line may be incomplete.
func (d *Dir) replayChanges(s *keys.Snapshot, since uint64) error {
	var changed []keys.Known
	c := &d.changes
	c.number, c.size, c.olderSize = max(c.number, since), 0, 0
	numbers, err := d.listNumbers()
	if err != nil {
		return err
	}
	for _, n := range numbers {
		if n < since {
			continue
		}
		data, err := readFile(d.changesPath(n), changesLimit)
		if err != nil {
			return err
		}
		c.number, c.olderSize = max(c.number, n+1), c.olderSize+int64(len(data))
		if changed, err = decodeChanges(changed, data); err != nil {
			return fmt.Errorf("%s%d: %w", changesPrefix, n, err)
		}
	}
	mergeChanges(s, changed)
	return nil
}

// mergeChanges sets each key to its last state and removes the keys that are no longer known. A
// revoked key stays revoked.
func mergeChanges(s *keys.Snapshot, changed []keys.Known) {
	if len(changed) == 0 {
		return
	}
	known := make(map[apikey.Digest]keys.Known, len(s.Known))
	for _, k := range slices.Concat(s.Known, changed) {
		before, ok := known[k.Digest]
		switch {
		case ok && !before.Principal.Active:
		case k.Principal == nil:
			delete(known, k.Digest)
		default:
			known[k.Digest] = k
		}
	}
	s.Known = slices.Collect(maps.Values(known))
}
