package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// subject is a running peer together with the generator of its load.
type subject struct {
	peer
	*target
	generator *generator
}

func (s *subject) stop() {
	s.generator.close()
	s.target.stop()
}

// startSubjects starts all peers and warms them up. It returns those that it has started even
// if it fails.
func (b *bench) startSubjects(ctx context.Context) ([]*subject, error) {
	var all []*subject
	for _, p := range b.peers {
		t, err := p.start(ctx)
		if err != nil {
			return all, fmt.Errorf("%s: %w", p.name, err)
		}
		g := &generator{address: t.address, path: t.path, key: t.key, header: p.header, chat: p.chat, embed: p.embed}
		s := &subject{peer: p, target: t, generator: g}
		all = append(all, s)
		b.noteFailures(p, warmUp, s.put(ctx, warmUp, warmFor))
		if _, err := t.awaitIdle(ctx); err != nil {
			return all, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return all, nil
}

// rotate returns the subjects in another order. Each subject comes first in one of len(all)
// rounds.
func rotate(all []*subject, round int) []*subject {
	at := round % len(all)
	return slices.Concat(all[at:], all[:at])
}

// measureInTurn puts a load on one subject after the other.
func (b *bench) measureInTurn(ctx context.Context, l load, subjects []*subject) error {
	if l.rate > 0 {
		defer b.raisePriority(ctx)()
	}
	for _, s := range subjects {
		if !l.runsOn(s.peer) {
			continue
		}
		stopProfile := b.startProfile(ctx, s.peer, s.target, l)
		f, err := b.measureLoad(ctx, s, l)
		if err := errors.Join(err, stopProfile()); err != nil {
			return fmt.Errorf("%s: %s: %w", s.name, l.name, err)
		}
		b.noteFailures(s.peer, l, f.outcome)
		if b.results[s.name] == nil {
			b.results[s.name] = map[string][]figures{}
		}
		b.results[s.name][l.name] = append(b.results[s.name][l.name], f)
	}
	return nil
}

// put puts a load on the subject. The responses of a gateway count as records that its ledger
// must contain.
func (s *subject) put(ctx context.Context, l load, lasts time.Duration) outcome {
	o := s.generator.run(ctx, l, lasts)
	if s.box != nil {
		s.box.answered += len(o.took)
	}
	return o
}
