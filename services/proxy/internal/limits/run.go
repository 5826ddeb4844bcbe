package limits

import (
	"context"
	"time"
)

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

	probeFirst = 250 * time.Millisecond
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
	// lost is whether they were away the last time, at when to try them again.
	lost  bool
	at    time.Time
	pause time.Duration
	back  time.Time
	// known is whether they should know this proxy.
	known bool
}

// counters tells them what is due; while they are away it tries them.
func (w *watch) counters(ctx context.Context, k *Keeper, count bool) {
	if k.away.Load() {
		w.try(ctx, k)
		return
	}
	w.lost = false
	if count {
		w.count(ctx, k)
	}
	k.sync(ctx, false)
}

// count asks how many proxies live. Counters that have forgotten this one have
// forgotten everything, and are told again.
func (w *watch) count(ctx context.Context, k *Keeper) {
	n, known, err := k.proxies(ctx, k.patience)
	if err != nil {
		k.lose(err)
		return
	}
	k.n.Store(int64(max(1, n)))
	if w.known && !known {
		k.regain(ctx)
	}
	w.known = true
}

// try asks counters that did not answer, less often if they have just come
// back and are gone again. The first answer may need a connection; the second
// must be as fast as requests want it.
func (w *watch) try(ctx context.Context, k *Keeper) {
	now := k.now()
	if !w.lost {
		w.lost = true
		w.pause = min(max(probeFirst, 2*w.pause), probeLast)
		if now.Sub(w.back) > steady {
			w.pause = probeFirst
		}
		w.at = now.Add(w.pause)
	}
	if now.Before(w.at) {
		return
	}
	w.at = now.Add(w.pause)
	if _, _, err := k.proxies(ctx, connecting); err != nil {
		return
	}
	n, _, err := k.proxies(ctx, k.patience)
	if err != nil {
		return
	}
	k.n.Store(int64(max(1, n)))
	w.back, w.known = k.now(), true
	k.regain(ctx)
}

func (k *Keeper) proxies(ctx context.Context, within time.Duration) (int, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return k.counters.Proxies(ctx)
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
