package spool

import (
	"context"
	"errors"
	"fmt"
)

// Flush waits until the store holds every record that was written before the
// call. Ship must be running. It returns ctx's error if ctx ends first.
func (s *Spool) Flush(ctx context.Context) error {
	lanes := s.lanesNow()
	own, queued := s.own.last(), s.queue.last()
	for {
		news := s.newsNow()
		if lanes[0].upTo(own) && lanes[1].upTo(queued) {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tell wakes every Flush.
func (s *Spool) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.news)
	s.news = make(chan struct{})
}

func (s *Spool) newsNow() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.news
}

// Close ends Ship, refuses further frames and syncs. The directory is removed
// if the store holds all of it, else it is left for the next start to adopt.
// An error says that something may not outlive a power failure or, if records
// in memory found no place on the disk, that those are lost. A second call
// returns nil.
func (s *Spool) Close() (err error) {
	s.closing.Do(func() { err = s.close() })
	return err
}

func (s *Spool) close() error {
	s.end()
	s.loops.Wait()
	s.shipping.Lock()
	defer s.shipping.Unlock()
	lanes := s.lanesNow()
	errs := []error{s.queue.free(lanes[1].lowest()), s.spill()}
	if s.queue.holds() && s.beat != nil {
		s.beat.last(context.Background()) // of what was refused, or put on the disk
	}
	errs = append(errs, s.queue.leave(), s.own.seal(), s.own.free(lanes[0].lowest()))
	for _, l := range lanes[2:] {
		errs = append(errs, l.journal.unlock())
	}
	if s.own.done() {
		errs = append(errs, s.own.remove())
	} else {
		errs = append(errs, s.own.unlock())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}
