package spool

import (
	"context"
	"errors"
	"fmt"
)

// Flush waits until every record that this process wrote before the call is settled:
// the store has it, or it is lost. Ship must be running. If ctx ends first, Flush
// returns the error of ctx.
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

// Close stops Ship, rejects further frames and syncs. It removes the directory
// if the store has every record. Otherwise it leaves the directory, so that
// another process adopts it. An error means that records may not survive a power
// failure, or that records in memory could not be written to the disk and are
// lost. A second call returns nil.
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
		s.heartbeat.reportFinal(context.Background()) // includes the records that were just saved or lost
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
