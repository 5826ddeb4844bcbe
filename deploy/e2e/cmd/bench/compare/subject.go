package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
)

// warmFor is how long a peer is warmed up. The heap of a process that has just started still
// grows, which is not part of the cost of a request.
const warmFor = time.Second

// subject is a running peer together with the generator of its load.
type subject struct {
	peer
	*target
	generator *traffic.Generator
}

func (s *subject) stop() {
	s.generator.Close()
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
		g := &traffic.Generator{Address: t.address, Path: t.path, Key: t.key, Header: p.header, Chat: p.chat, Embed: p.embed}
		s := &subject{peer: p, target: t, generator: g}
		all = append(all, s)
		b.noteFailures(p, traffic.WarmUp, s.put(ctx, traffic.WarmUp, warmFor))
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
func (b *bench) measureInTurn(ctx context.Context, l traffic.Load, subjects []*subject) error {
	if l.Rate > 0 {
		defer b.raisePriority(ctx)()
	}
	for _, s := range subjects {
		if !runsOn(s.peer, l) {
			continue
		}
		stopProfile := b.startProfile(ctx, s.peer, s.target, l)
		f, err := b.measureLoad(ctx, s, l)
		if err := errors.Join(err, stopProfile()); err != nil {
			return fmt.Errorf("%s: %s: %w", s.name, l.Name, err)
		}
		b.noteFailures(s.peer, l, f.outcome)
		if b.results[s.name] == nil {
			b.results[s.name] = map[string][]figures{}
		}
		b.results[s.name][l.Name] = append(b.results[s.name][l.Name], f)
	}
	return nil
}

// put puts a load on the subject. The responses of a gateway count as records that its ledger
// must contain.
func (s *subject) put(ctx context.Context, l traffic.Load, lasts time.Duration) traffic.Outcome {
	o := s.generator.Run(ctx, l, lasts)
	if s.box != nil {
		s.box.Answered += len(o.Took)
	}
	return o
}

// runsOn reports whether a load is measured on a peer. Requests of agents name a model, so
// the peers that measure routes would measure the same again. What capture costs shows with long
// bodies.
func runsOn(p peer, l traffic.Load) bool {
	switch {
	case l.Agent != "":
		return p.name == nameForward || p.name == nameNginx || p.name == nameExplicit
	case p.name == nameNone:
		return l.Bytes >= traffic.BigBytes
	}
	return true
}

func (b *bench) durationOf(l traffic.Load) time.Duration {
	return time.Duration(float64(b.each) * l.Share)
}
