package limits

import (
	"context"
	"time"
)

// Lives is how long a proxy counts that is not heard of.
const Lives = 5 * time.Second

const (
	// second and sweep are counted in windows.
	second = 10
	sweep  = 600
	// together is how many accounts are told of in one round trip.
	together = 64
	// connecting is how long the first answer after an outage may take, which
	// may need a new connection.
	connecting = time.Second
	// farewell is how long giving back may take in all.
	farewell = time.Second

	probeFirst = 100 * time.Millisecond
	probeLast  = 4 * time.Second
	// steady is how long the counters must have answered to be tried as soon
	// as the first time.
	steady = 10 * time.Second
)

// Run keeps leases and holds in step with the counters, and the file with the
// figures, until ctx ends; then it gives back what no request uses.
func (k *Keeper) Run(ctx context.Context) {
	ticker := time.NewTicker(time.Duration(window))
	defer ticker.Stop()
	var w watch
	for i := 0; ; i++ {
		if k.counters != nil {
			// At first more often: proxies are wont to start together.
			w.counters(ctx, k, i%second == 0 || i < 2*second)
		}
		if i%second == 0 {
			k.save()
		}
		if i%sweep == sweep-1 {
			k.forget()
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			k.end(context.WithoutCancel(ctx))
			return
		}
	}
}

// watch is what Run knows of the counters.
type watch struct {
	// lost is since when they have been away, zero while they are not; at is when
	// to try them again, and found since when they answer.
	lost  time.Time
	at    time.Time
	found time.Time
	pause time.Duration
	back  time.Time
	// known is whether they should know this proxy, and fewer since when they have
	// told of fewer proxies than before.
	known bool
	fewer time.Time
}

// counters tells them what is due; while they are away it tries them.
func (w *watch) counters(ctx context.Context, k *Keeper, count bool) {
	if k.away.Load() {
		w.try(ctx, k)
		return
	}
	w.lost, w.found = time.Time{}, time.Time{}
	if count {
		w.count(ctx, k)
	}
	k.sync(ctx, false)
}

// count asks how many proxies live. Counters that have forgotten this one have
// forgotten everything, and are told again.
func (w *watch) count(ctx context.Context, k *Keeper) {
	n, known, err := k.proxies(ctx, k.patience, Lives, true)
	if err != nil {
		k.lose(err)
		return
	}
	w.learn(k, n)
	if w.known && !known {
		k.regain(ctx)
	}
	w.known = true
}

// learn takes a higher number of proxies at once, and a lower one when it has
// lasted: counters that have lost everything know of few at first.
func (w *watch) learn(k *Keeper, n int) {
	now := k.now()
	switch {
	case n >= k.Proxies():
		w.fewer = time.Time{}
	case w.fewer.IsZero():
		w.fewer = now
		return
	case now.Sub(w.fewer) < Lives:
		return
	}
	k.n.Store(int64(max(1, n)))
}

// try asks counters that did not answer, less often if they have just come
// back and are gone again. They are used again when all proxies have told them
// what they did on their own, or have had the time to: what looks free before
// may be spent.
func (w *watch) try(ctx context.Context, k *Keeper) {
	now := k.now()
	w.lose(now)
	if now.Before(w.at) {
		return
	}
	w.at = now.Add(w.pause)
	n, ok := w.meet(ctx, k, now)
	if !ok {
		w.found = time.Time{}
		return
	}
	if w.found.IsZero() {
		w.found = now
	}
	if n < k.Proxies() && now.Sub(w.found) < Lives {
		w.at = now
		return
	}
	k.n.Store(int64(max(1, n)))
	w.back, w.known = k.now(), true
	k.regain(ctx)
}

// lose notes the beginning of an outage.
func (w *watch) lose(now time.Time) {
	if !w.lost.IsZero() {
		return
	}
	w.lost = now
	w.pause = min(max(probeFirst, 2*w.pause), probeLast)
	if now.Sub(w.back) > steady {
		w.pause = probeFirst
	}
	w.at = now.Add(w.pause)
}

// meet tells the counters what was done without them, and returns how many
// proxies have since they were lost. The first answer may need a connection;
// the others must be as fast as requests want them.
func (w *watch) meet(ctx context.Context, k *Keeper, now time.Time) (n int, ok bool) {
	since := now.Sub(w.lost)
	if _, _, err := k.proxies(ctx, connecting, since, false); err != nil {
		return 0, false
	}
	if !k.report(ctx) {
		return 0, false
	}
	n, _, err := k.proxies(ctx, k.patience, since, true)
	return n, err == nil
}

func (k *Keeper) proxies(ctx context.Context, wait, within time.Duration, join bool) (int, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return k.counters.Proxies(ctx, within, join)
}

// sync tells the counters what is due of the accounts on the list, and takes
// those off it of which they know all.
func (k *Keeper) sync(ctx context.Context, end bool) {
	k.mu.Lock()
	list := k.actives
	k.actives = nil
	k.mu.Unlock()
	for len(list) > 0 {
		n := min(together, len(list))
		k.tell(ctx, list[:n], end)
		k.keep(list[:n])
		list = list[n:]
	}
}

// tell is one round trip. It is spared while the counters are away.
func (k *Keeper) tell(ctx context.Context, list []*account, end bool) {
	if k.away.Load() {
		return
	}
	var b batch
	for _, a := range list {
		a.mu.Lock()
		if a.flight == nil {
			k.gather(&b, a, k.instant(k.now()), end)
		}
		a.mu.Unlock()
	}
	if len(b.of) > 0 {
		k.send(ctx, &b)
	}
}

// keep puts back on the list who is not at rest.
func (k *Keeper) keep(list []*account) {
	for _, a := range list {
		a.mu.Lock()
		if a.active = !a.calm(); a.active {
			k.mu.Lock()
			k.actives = append(k.actives, a)
			k.mu.Unlock()
		}
		a.mu.Unlock()
	}
}

// end gives back what no request uses.
func (k *Keeper) end(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	if k.counters != nil {
		k.sync(ctx, true)
	}
	k.save()
}

// forget drops accounts and keys of which nothing is to be remembered.
func (k *Keeper) forget() {
	t := k.now()
	now, c := k.instant(t), k.calendar(t)
	k.everyAccount(func(a *account) {
		if a.prune(now, c, k.counters == nil); !a.gone {
			return
		}
		s := k.shard(a.id)
		s.Lock()
		delete(s.accounts, a.id)
		s.Unlock()
	})
}
