package router_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const (
	smallOnly = "version: 1\nmodels: {sandbox-small: {}}\nroutes: {auto: {select: [{target: sandbox-small}]}}\n"
	largeOnly = "version: 1\nmodels: {sandbox-large: {}}\nroutes: {auto: {select: [{target: sandbox-large}]}}\n"
)

// snapshots receives what is pushed to a proxy.
func snapshots(t *testing.T, c clients) func() string {
	stream, err := c.router.WatchPolicy(bounded(t), &routerv1.WatchPolicyRequest{})
	require.NoError(t, err)
	return func() string {
		for {
			m, err := stream.Recv()
			require.NoError(t, err)
			if s := m.GetSnapshot(); s != nil {
				return s.GetVersion()
			}
		}
	}
}

func TestAPublishedPolicyIsPushedAndCanBeTakenBack(t *testing.T) {
	c := start(t, router.Config{})
	next := snapshots(t, c)
	first := next()
	p, err := c.policies.Publish(bounded(t), &routerv1.PublishRequest{
		Document: largeOnly, Author: "ann@example.com", Note: "try", ExpectedVersion: first,
	})
	require.NoError(t, err)
	require.Equal(t, p.GetVersion().GetVersion(), next())
	d, err := c.router.Decide(bounded(t), ask("auto"))
	require.NoError(t, err)
	require.Equal(t, "sandbox-large", d.GetDecision().GetPlan()[0].GetModel())

	_, err = c.policies.Publish(bounded(t), &routerv1.PublishRequest{Document: smallOnly, ExpectedVersion: first})
	require.True(t, apperr.Is(err, apperr.PolicyConflict))
	diff, err := c.policies.Diff(bounded(t), &routerv1.DiffRequest{From: first[:10]})
	require.NoError(t, err)
	require.Equal(t, []string{first, p.GetVersion().GetVersion()}, []string{diff.GetFrom(), diff.GetTo()})
	require.NotEmpty(t, diff.GetChanges())
	require.NotEmpty(t, diff.GetUnified())

	r, err := c.policies.Rollback(bounded(t), &routerv1.RollbackRequest{Version: first[:10], Author: "bob@example.com", Note: "back"})
	require.NoError(t, err)
	require.Equal(t, first, r.GetVersion().GetVersion())
	require.Equal(t, first, next())
	list, err := c.policies.List(bounded(t), &routerv1.ListRequest{})
	require.NoError(t, err)
	require.Len(t, list.GetVersions(), 2)
	newest := list.GetVersions()[0]
	require.Equal(t, []string{"publish", "ann@example.com", "try"}, []string{newest.GetOrigin(), newest.GetAuthor(), newest.GetNote()})
	require.False(t, newest.GetActive())
	got, err := c.policies.Get(bounded(t), &routerv1.GetRequest{Version: newest.GetVersion()[:10]})
	require.NoError(t, err)
	require.Equal(t, largeOnly, got.GetVersion().GetDocument())
}

// With two routers on one Postgres, a policy published at one reaches the proxies of
// the other.
func TestRoutersOfOneStoreAgree(t *testing.T) {
	store := config.Secret(testenv.Postgres(t))
	one, two := start(t, router.Config{Store: store}), start(t, router.Config{Store: store})
	next := snapshots(t, two)
	next()
	p, err := one.policies.Publish(bounded(t), &routerv1.PublishRequest{Document: smallOnly})
	require.NoError(t, err)
	require.Equal(t, p.GetVersion().GetVersion(), next())
}

func TestAFileIsFollowed(t *testing.T) {
	path := write(t, smallOnly)
	c := start(t, router.Config{Policy: path})
	next := snapshots(t, c)
	first := next()
	_, err := c.policies.Publish(bounded(t), &routerv1.PublishRequest{Document: largeOnly})
	require.True(t, apperr.Is(err, apperr.PolicyReadOnly))

	require.NoError(t, os.WriteFile(path, []byte("version: 1\nmodles: {}\n"), 0o600))
	var got *routerv1.GetResponse
	require.Eventually(t, func() bool {
		got, err = c.policies.Get(bounded(t), &routerv1.GetRequest{})
		return err == nil && got.GetFileFault() != ""
	}, 20*time.Second, 20*time.Millisecond)
	require.Equal(t, first, got.GetVersion().GetVersion())
	require.True(t, got.GetReadOnly())
	require.Equal(t, int32(2), got.GetFileProblems()[0].GetLine())

	require.NoError(t, os.WriteFile(path, []byte(largeOnly), 0o600))
	require.NotEqual(t, first, next())
	d, err := c.router.Decide(bounded(t), ask("auto"))
	require.NoError(t, err)
	require.Equal(t, "sandbox-large", d.GetDecision().GetPlan()[0].GetModel())
}

// A FIFO in the place of the file neither blocks the watcher nor a restart.
func TestAFileThatCannotBeReadLeavesItsLastVersionActive(t *testing.T) {
	cfg := router.Config{Policy: write(t, smallOnly), Data: t.TempDir()}
	c := start(t, cfg)
	require.NoError(t, os.Remove(cfg.Policy))
	require.NoError(t, syscall.Mkfifo(cfg.Policy, 0o600))
	fault := func(c clients) func() bool {
		return func() bool {
			got, err := c.policies.Get(bounded(t), &routerv1.GetRequest{})
			return err == nil && got.GetFileFault() == "the policy file is not a regular file"
		}
	}
	require.Eventually(t, fault(c), 20*time.Second, 20*time.Millisecond)
	again := start(t, cfg)
	require.True(t, fault(again)())
	d, err := again.router.Decide(bounded(t), ask("auto"))
	require.NoError(t, err)
	require.Equal(t, "sandbox-small", d.GetDecision().GetPlan()[0].GetModel())

	next := snapshots(t, again)
	first := next()
	require.NoError(t, os.Remove(cfg.Policy))
	require.NoError(t, os.WriteFile(cfg.Policy, []byte(largeOnly), 0o600))
	require.NotEqual(t, first, next())
}

// The readiness report says whether the file is active, and if not, why. It is public, so it
// contains neither the path nor the content.
func TestTheStatusOfThePolicyFile(t *testing.T) {
	cfg := router.Config{Policy: write(t, smallOnly), Data: t.TempDir()}
	c := start(t, cfg)
	require.Equal(t, "active", c.service.PolicyFileStatus())
	replace := func(document string) func() {
		return func() { require.NoError(t, os.WriteFile(cfg.Policy, []byte(document), 0o600)) }
	}
	for _, tt := range []struct {
		change func()
		want   string
	}{
		{replace("version: 1\nsecretive: {}\n"), "rejected: 1 problem, the first is UNKNOWN_FIELD in line 2, column 1"},
		{replace("version: 1\nsecretive: {}\nhidden: {}\n"), "rejected: 2 problems, the first is UNKNOWN_FIELD in line 2, column 1"},
		{func() { require.NoError(t, syscall.Mkfifo(cfg.Policy, 0o600)) }, "cannot be loaded: the policy file is not a regular file"},
		{replace(strings.Repeat("#", policy.MaxDocument+1)), "cannot be loaded: the policy file is larger than 512 KiB"},
		{func() {}, "cannot be loaded"},
		{replace(largeOnly), "active"},
	} {
		require.NoError(t, os.RemoveAll(cfg.Policy))
		tt.change()
		hasStatus := func() bool { return c.service.PolicyFileStatus() == tt.want }
		require.Eventually(t, hasStatus, 20*time.Second, 20*time.Millisecond, tt.want)
		require.Equal(t, tt.want != "active", c.service.CheckPolicyCurrent() != nil, tt.want)
		if tt.want != "active" {
			require.Equal(t, tt.want, start(t, cfg).service.PolicyFileStatus(), "after a restart")
		}
	}
}

func TestSecretsOfAPublishedPolicyAreRestricted(t *testing.T) {
	const document = "version: 1\nproviders:\n  mine: {kind: openai, base_url: https://collect.example/v1, keys: [{ref: env:HOME}]}\n"
	c := start(t, router.Config{})
	checked, err := c.policies.Validate(bounded(t), &routerv1.ValidateRequest{Document: document})
	require.NoError(t, err)
	require.Len(t, checked.GetProblems(), 1)
	require.Equal(t, "SECRET_NOT_ALLOWED", checked.GetProblems()[0].GetCode())
	require.Equal(t, int32(3), checked.GetProblems()[0].GetLine())
	c = start(t, router.Config{PolicySecrets: "env:HOME"})
	checked, err = c.policies.Validate(bounded(t), &routerv1.ValidateRequest{Document: document})
	require.NoError(t, err)
	require.Empty(t, checked.GetProblems())
}

func TestCheckingWithoutARouter(t *testing.T) {
	c, err := router.Validate([]byte(smallOnly))
	require.NoError(t, err)
	require.NotEmpty(t, c.Version)
	require.Empty(t, c.Problems)
	c, err = router.RunTests([]byte("version: 1\nmodles: {}\n"))
	require.NoError(t, err)
	require.Empty(t, c.Version)
	require.Len(t, c.Problems, 1)
	c, err = router.RunTests([]byte(smallOnly))
	require.NoError(t, err)
	require.Empty(t, c.Failed)
}

func TestADocumentWhoseTestsFailIsNotPublished(t *testing.T) {
	const tested = "version: 1\nmodels: {sandbox-small: {}}\nroutes:\n  auto:\n    select: [{target: sandbox-small}]\n    tests:\n" +
		"      - {name: greetings, request: {messages: [{role: user, content: hi}]}, expect: {model: sandbox-small}}\n" +
		"      - {name: wrong, request: {messages: [{role: user, content: hi}]}, expect: {code: POLICY_DENIED}}\n"
	c := start(t, router.Config{})
	_, err := c.policies.Publish(bounded(t), &routerv1.PublishRequest{Document: tested})
	require.True(t, apperr.Is(err, apperr.PolicyTestFailed), err)
	checked, err := router.RunTests([]byte(tested))
	require.NoError(t, err)
	require.Equal(t, 2, checked.Tests)
	require.Len(t, checked.Failed, 1)
	require.Equal(t, 8, checked.Failed[0].Line)
}
