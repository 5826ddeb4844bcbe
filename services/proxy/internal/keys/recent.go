package keys

// recentCapacity bounds memory. An answer that is older than so many changes is
// asked for again.
const recentCapacity = 1024

// recent remembers the last changes, so that an answer which was read before a
// change of the same key is told from one that was read before a change of
// another: on a busy installation somebody's key always changes.
type recent struct {
	// floor is the version up to which changes are not known by name.
	floor  int64
	latest map[subject]int64
	order  []noted
}

// subject is a key, or without one an account with all its keys.
type subject struct{ account, key string }

type noted struct {
	subject subject
	version int64
}

func (r *recent) note(ch Change) {
	if len(r.order) == recentCapacity {
		r.forget(r.order[0])
		r.order = r.order[1:]
	}
	n := noted{subject: subject{ch.AccountID, ch.KeyID}, version: ch.Version}
	r.order = append(r.order, n)
	r.latest[n.subject] = n.version
}

func (r *recent) forget(n noted) {
	r.floor = max(r.floor, n.version)
	if r.latest[n.subject] == n.version {
		delete(r.latest, n.subject)
	}
}

// skip says that changes up to a version are not known by name.
func (r *recent) skip(version int64) { r.floor = max(r.floor, version) }

// overtakes reports whether a change may have made the answer untrue.
func (r *recent) overtakes(p *Principal) bool {
	return p.Version < r.floor ||
		p.Version < r.latest[subject{p.AccountID, p.KeyID}] ||
		p.Version < r.latest[subject{account: p.AccountID}]
}
