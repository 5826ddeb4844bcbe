package snapshot

import (
	"fmt"
	"maps"
	"slices"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

// recall lays what has changed since over a snapshot, from the file with a
// number on. Without all of it a snapshot is not to be used: what is missing may
// be a revocation. Files that are read stay until the next snapshot covers them,
// and none is written to again, for the last line may be half of one.
func (d *Dir) recall(s *keys.Snapshot, since uint64) error {
	var changed []keys.Known
	c := &d.changes
	c.number, c.size, c.before = max(c.number, since), 0, 0
	numbers, err := d.numbers()
	if err != nil {
		return err
	}
	for _, n := range numbers {
		if n < since {
			continue
		}
		data, err := read(d.changesFile(n), changesLimit)
		if err != nil {
			return err
		}
		c.number, c.before = max(c.number, n+1), c.before+int64(len(data))
		if changed, err = decodeChanges(changed, data); err != nil {
			return fmt.Errorf("%s%d: %w", changesPrefix, n, err)
		}
	}
	overlay(s, changed)
	return nil
}

// overlay makes each key what it last became. A revoked one stays so.
func overlay(s *keys.Snapshot, changed []keys.Known) {
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
