package keys

// maxRecent limits memory. If more than this many changes followed a response, the
// response counts as outdated.
const maxRecent = 1024

// recentChanges holds the last pushed changes. It shows whether a response was read before
// a change of the same key. A comparison with only the latest version would be too strict:
// on a busy installation other keys change all the time, so most responses would count as
// outdated.
type recentChanges struct {
	// floor is the version up to which the individual changes are unknown. A response with
	// a lower version counts as outdated.
	floor  int64
	latest map[subject]int64
	order  []recentChange
}

// subject is a key, or an account with all its keys if key is empty.
type subject struct{ account, key string }

type recentChange struct {
	subject subject
	version int64
}

func (r *recentChanges) add(ch Change) {
	if len(r.order) == maxRecent {
		r.forget(r.order[0])
		r.order = r.order[1:]
	}
	n := recentChange{subject: subject{ch.AccountID, ch.KeyID}, version: ch.Version}
	r.order = append(r.order, n)
	r.latest[n.subject] = n.version
}

func (r *recentChanges) forget(n recentChange) {
	r.floor = max(r.floor, n.version)
	if r.latest[n.subject] == n.version {
		delete(r.latest, n.subject)
	}
}

// raiseFloor records that the changes up to a version are not known individually.
func (r *recentChanges) raiseFloor(version int64) { r.floor = max(r.floor, version) }

// supersedes reports whether a pushed change may have made p, a response of the service,
// outdated.
func (r *recentChanges) supersedes(p *Principal) bool {
	return p.Version < r.floor ||
		p.Version < r.latest[subject{p.AccountID, p.KeyID}] ||
		p.Version < r.latest[subject{account: p.AccountID}]
}
