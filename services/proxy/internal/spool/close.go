package spool

import (
	"context"
	"errors"
	"fmt"
)

// Flush waits until the store holds every record that was written before the
// call. Ship must be running. If ctx ends first, Flush returns its error.
func (s *Spool) Flush(ctx context.Context) error {
	shippers := s.listShippers()
	own, queued := s.own.lastAssigned(), s.queue.lastAssigned()
	for {
		news := s.progressSignal()
		if shippers[0].hasSettledUpTo(own) && shippers[1].hasSettledUpTo(queued) {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// signalProgress wakes every waiting Flush.
func (s *Spool) signalProgress() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.progress)
	s.progress = make(chan struct{})
}

func (s *Spool) progressSignal() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.progress
}

// Close stops Ship, refuses further frames and syncs. It removes the directory
// if the store holds every record, and otherwise leaves it for the next start to
// adopt. An error means that records may not survive a power failure or, if the
// disk refused records that waited in memory, that those are lost. A second
// call returns nil.
func (s *Spool) Close() (err error) {
	s.closeOnce.Do(func() { err = s.closeAll() })
	return err
}

func (s *Spool) closeAll() error {
	s.cancel()
	s.loops.Wait()
	s.shipMu.Lock()
	defer s.shipMu.Unlock()
	shippers := s.listShippers()
	errs := []error{s.queue.freeBelow(shippers[1].lowestUnsettled()), s.saveQueueAtClose()}
	if s.queue.hasItems() && s.heartbeat != nil {
		s.heartbeat.reportFinal(context.Background()) // counts records that were saved or lost just now
	}
	errs = append(errs, s.queue.leaveForAdoption(), s.own.stopWriting(), s.own.freeBelow(shippers[0].lowestUnsettled()))
	for _, l := range shippers[2:] {
		errs = append(errs, l.adopted.unlock())
	}
	if s.own.isEmpty() {
		errs = append(errs, s.own.removeDir())
	} else {
		errs = append(errs, s.own.unlock())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}
