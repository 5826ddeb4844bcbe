package connect

import (
	"context"
	"errors"
	"fmt"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
)

func disconnectClient(ctx context.Context, c cli.Invocation) error {
	return runDisconnect(ctx, c, userfiles.Files{})
}

func runDisconnect(ctx context.Context, c cli.Invocation, files userfiles.Files) error {
	s := newSetup(c, files)
	var keepKey bool
	s.Flags.Bool(&keepKey, "keep-key", false, "do not revoke the key that connect created, for example because its gateway no longer exists")
	if err := s.prepare(); err != nil {
		return err
	}
	return s.withLock(func() error { return s.disconnect(ctx, keepKey) })
}

func (s *setup) disconnect(ctx context.Context, keepKey bool) error {
	r, err := s.loadRecord()
	if err != nil {
		return err
	}
	if r == nil {
		return s.printNotConnected()
	}
	plan, err := s.planDisconnect(r)
	if err != nil {
		return err
	}
	if err := s.showPlan(plan); err != nil || s.dryRun {
		return errors.Join(err, s.printDisconnected(r, plan, "planned"))
	}
	revokes := r.Key.Name != "" && !keepKey
	if err := s.Confirm(ctx, s.disconnectQuestion(r, revokes)); err != nil {
		return err
	}
	return s.performDisconnect(ctx, r, plan, revokes)
}

func (s *setup) disconnectQuestion(r *record, revokes bool) string {
	question := fmt.Sprintf("Disconnect %s from %s?", s.client.Title, r.URL)
	if revokes {
		question += fmt.Sprintf(" This revokes its key %q permanently.", r.Key.Name)
	}
	return question
}

// performDisconnect restores the files first: they do not need the gateway. The record stays
// until the key is revoked, so that the command can be repeated.
func (s *setup) performDisconnect(ctx context.Context, r *record, plan []plannedFile, revokes bool) error {
	r.Disconnecting = true
	if err := s.saveRecord(r); err != nil {
		return err
	}
	for _, p := range plan {
		mode := p.current.Mode
		if p.Existed {
			mode = p.Mode
		}
		if err := s.writeFile(p, mode); err != nil {
			return err
		}
	}
	s.folders = uniqueFolders(append(s.folders, r.Folders...))
	userfiles.RemoveEmptyFolders(s.folders)
	s.reached("remove the folders")
	if revokes {
		if err := s.revokeKey(ctx, r.Key); err != nil {
			return s.explainKeptKey(r, err)
		}
	}
	if err := s.removeRecord(r); err != nil {
		return err
	}
	return s.printDisconnected(r, plan, "disconnected")
}

// explainKeptKey says that only the key is left to do.
func (s *setup) explainKeptKey(r *record, err error) error {
	text := fmt.Sprintf("the settings of %s are restored, but its key %q is not revoked: %v; run the command again, or add --keep-key if the gateway no longer exists",
		s.client.Title, r.Key.Name, err)
	if unreachable := (*cli.UnreachableError)(nil); errors.As(err, &unreachable) {
		return &cli.UnreachableError{Text: text}
	}
	return errors.New(text)
}
