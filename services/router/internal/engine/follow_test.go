package engine_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

// desk is an operator's policy file and the log of the router.
type desk struct {
	*engine.Engine
	text  string
	fault error
	log   bytes.Buffer
}

func atDesk(t *testing.T, s engine.Store, text string) *desk {
	d, err := reopen(t, s, text, nil)
	require.NoError(t, err)
	d.log.Reset()
	return d
}

func (d *desk) look(times int) {
	for range times {
		d.Poll(context.Background())
	}
}

func (d *desk) inForce(t *testing.T) string {
	a, _ := d.Active()
	require.Len(t, a.Policy.Models, 1)
	return a.Policy.Models[0].ID
}

func TestAChangedFileIsTakenUpOnceItIsStill(t *testing.T) {
	s := openStore(t)
	d := atDesk(t, s, oneModel)
	d.look(3)
	_, n := kept(t, s)
	require.Equal(t, 1, n)
	_, changed := d.Active()
	d.text = strings.ReplaceAll(otherModel, "large", "medium") // half written, but valid by chance
	d.look(1)
	require.Equal(t, "sandbox-small", d.inForce(t))
	d.text = otherModel
	d.look(1)
	require.Equal(t, "sandbox-small", d.inForce(t), "it has just changed")
	d.look(1)
	require.Equal(t, "sandbox-large", d.inForce(t))
	<-changed
	require.NoError(t, d.RefreshError())
	v, n := kept(t, s)
	require.Equal(t, 2, n)
	require.Equal(t, []string{otherModel, engine.OriginFile}, []string{v.Document, v.Origin})
	d.look(3)
	require.Equal(t, 1, strings.Count(d.log.String(), "\n"), d.log.String())
	d.text = oneModel
	d.look(2)
	require.Equal(t, "sandbox-small", d.inForce(t), "and back")
}

func TestAFaultyFileChangesNothingAndIsLoggedOnce(t *testing.T) {
	s := openStore(t)
	d := atDesk(t, s, oneModel)
	d.text = "version: 1\nmodles: {}\n"
	d.look(5)
	require.Equal(t, "sandbox-small", d.inForce(t))
	var problems policy.Problems
	require.ErrorAs(t, d.RefreshError(), &problems)
	require.Equal(t, 2, problems[0].Line)
	require.Equal(t, 1, strings.Count(d.log.String(), "level=ERROR"), d.log.String())
	_, n := kept(t, s)
	require.Equal(t, 1, n)

	d.fault = errors.New("no such file")
	d.look(3)
	require.ErrorContains(t, d.RefreshError(), "no such file")
	require.Equal(t, 2, strings.Count(d.log.String(), "level=ERROR"))
	require.Equal(t, "sandbox-small", d.inForce(t))

	d.fault = nil
	d.look(1)
	require.ErrorAs(t, d.RefreshError(), &problems, "it is as faulty as before")
	d.text = oneModel
	d.look(2)
	require.NoError(t, d.RefreshError())
	require.Contains(t, d.log.String(), "policy refresh works again")
}

// brittle is a store that can become unavailable.
type brittle struct {
	engine.Store
	away error
}

func (b *brittle) LatestActivation(ctx context.Context) (int64, error) {
	if b.away != nil {
		return 0, b.away
	}
	return b.Store.LatestActivation(ctx)
}

func (b *brittle) Activate(ctx context.Context, v engine.Version, over string) error {
	if b.away != nil {
		return b.away
	}
	return b.Store.Activate(ctx, v, over)
}

func TestAFileIsTakenUpWhenTheStoreIsBack(t *testing.T) {
	s := &brittle{Store: openStore(t)}
	d := atDesk(t, s, oneModel)
	s.away = errors.New("no answer")
	d.text = otherModel
	d.look(3)
	require.Equal(t, "sandbox-small", d.inForce(t), "what is not kept is not in force")
	require.ErrorContains(t, d.RefreshError(), "no answer")
	s.away = nil
	d.look(1)
	require.Equal(t, "sandbox-large", d.inForce(t))
	require.NoError(t, d.RefreshError())
}

func TestARouterFollowsAnother(t *testing.T) {
	s := &brittle{Store: openStore(t)}
	one, err := open(t, s, "")
	require.NoError(t, err)
	two, err := open(t, s, "")
	require.NoError(t, err)
	two.Poll(t.Context())
	_, changed := two.Active()
	v, err := one.Publish(t.Context(), engine.Draft{Document: oneModel})
	require.NoError(t, err)
	s.away = errors.New("no answer")
	two.Poll(t.Context())
	require.NoError(t, two.RefreshError())
	s.away = nil
	two.Poll(t.Context())
	<-changed
	a, _ := two.Active()
	require.Equal(t, v.Name, a.Policy.Version())
	require.Equal(t, v.Activated, a.Since)

	// A version that this build cannot read changes nothing and is not replaced.
	require.NoError(t, s.Activate(t.Context(), engine.Version{Name: "newer", Document: oneModel, Compiled: []byte("{}"), Created: v.Created, Activated: v.Created}, ""))
	two.Poll(t.Context())
	a, _ = two.Active()
	require.Equal(t, v.Name, a.Policy.Version())
	require.ErrorContains(t, two.RefreshError(), "stored policy newer")
	stored, _ := kept(t, s)
	require.Equal(t, "newer", stored.Name)
}

// reopen starts an engine on the operator's file as after a restart.
func reopen(t *testing.T, s engine.Store, text string, fault error) (*desk, error) {
	d := &desk{text: text, fault: fault}
	e, err := engine.Open(t.Context(), engine.Options{
		Store: s, Catalog: loadCatalog(t), Log: slog.New(slog.NewTextHandler(&d.log, nil)),
		ReadFile: func(context.Context) ([]byte, error) { return []byte(d.text), d.fault },
	})
	d.Engine = e
	return d, err
}

func TestAFaultyFileAtStartLeavesItsLastGoodVersionActive(t *testing.T) {
	s := openStore(t)
	atDesk(t, s, oneModel)
	const faulty = "version: 1\nmodles: {}\n"
	gone := errors.New("no such file")
	for _, fault := range []error{nil, gone} {
		d, err := reopen(t, s, faulty, fault)
		require.NoError(t, err)
		require.Equal(t, "sandbox-small", d.inForce(t))
		require.Error(t, d.RefreshError())
		d.look(3)
		require.Error(t, d.RefreshError(), "the problem stays visible")
		require.Contains(t, d.log.String(), "level=ERROR")
		d.text, d.fault = otherModel, nil
		d.look(2)
		require.Equal(t, "sandbox-large", d.inForce(t))
		require.NoError(t, d.RefreshError())
		d.text = oneModel
		d.look(2)
	}
	_, err := reopen(t, openStore(t), faulty, nil)
	var problems policy.Problems
	require.ErrorAs(t, err, &problems, "there is no good version")
	published := openStore(t)
	e, err := open(t, published, "")
	require.NoError(t, err)
	_, err = e.Publish(t.Context(), engine.Draft{Document: oneModel})
	require.NoError(t, err)
	_, err = reopen(t, published, faulty, nil)
	require.ErrorAs(t, err, &problems, "the file never had a good version")
}
