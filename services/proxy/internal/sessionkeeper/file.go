package sessionkeeper

import (
	"context"

	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

// File is a store of one proxy, such as a database file.
type File interface {
	// LoadAll returns all saved states that expire after a time in Unix milliseconds, the
	// oldest first.
	LoadAll(ctx context.Context, after int64) ([]Saved, error)
	// Save replaces the states of sessions.
	Save(ctx context.Context, states []Saved) error
}

// Saved is an encoded state in a File.
type Saved struct {
	Key   []byte
	State []byte
	// Expires is in Unix milliseconds.
	Expires int64
}

func (k *Keeper) loadFile(ctx context.Context) {
	now, _ := k.clock.now()
	all, err := k.deps.File.LoadAll(ctx, now.UnixMilli())
	if err != nil {
		k.deps.Log.Warn("sessions: cannot read the saved states of sessions; sessions start anew", "error", err)
	}
	for _, saved := range all {
		s, err := session.Decode(saved.State)
		if err != nil || len(saved.Key) != len(session.Key{}) {
			continue // a state of another version
		}
		s = s.NotAfter(now)
		k.sessions.update(session.Key(saved.Key), now, func(*session.State) *session.State { return s })
	}
}
