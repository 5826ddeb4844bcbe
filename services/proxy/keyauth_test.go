package proxy_test

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// keyauthServer has the keys that are added to it, and pushes revocations.
type keyauthServer struct {
	keyauthv1.UnimplementedKeyAuthServiceServer
	mu    sync.Mutex
	known map[apikey.Digest]*keyauthv1.Principal
	asked int
	// log holds the changes after the first version.
	log     []*keyauthv1.KeyChange
	changed chan struct{}
	// since are the versions at which watches began.
	since []int64
	// held, if set, delays responses until it is closed.
	held chan struct{}
	// gapped ends watches and rejects new ones.
	gapped bool
	// spent is the stored spending of budgets.
	spent []*keyauthv1.Spent
}

func newKeyauthServer() *keyauthServer {
	return &keyauthServer{known: map[apikey.Digest]*keyauthv1.Principal{}, changed: make(chan struct{})}
}

func (k *keyauthServer) head() int64 { return int64(len(k.log)) + 1 }

func (k *keyauthServer) add(settings *keyauthv1.KeySettings) string {
	return k.addTo("account", nil, settings)
}

// addTo adds a key of an account with limits.
func (k *keyauthServer) addTo(account string, limits *keyauthv1.Limits, settings *keyauthv1.KeySettings) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := apikey.New()
	k.known[apikey.DigestOf(key)] = &keyauthv1.Principal{
		AccountId: account, KeyId: keyID(key), State: keyauthv1.KeyState_KEY_STATE_ACTIVE, Settings: settings, AccountLimits: limits,
	}
	return key
}

// keyID returns the id that the server gives a key.
func keyID(key string) string { return key[9:20] }

// spend sets the stored spending of a budget.
func (k *keyauthServer) spend(s *keyauthv1.Spent) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.spent = append(k.spent, s)
	close(k.changed)
	k.changed = make(chan struct{})
}

func (k *keyauthServer) revoke(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.known[apikey.DigestOf(key)]
	delete(k.known, apikey.DigestOf(key))
	p.State, p.Version = keyauthv1.KeyState_KEY_STATE_REVOKED, k.head()+1
	k.log = append(k.log, &keyauthv1.KeyChange{Version: p.GetVersion(), AccountId: p.GetAccountId(), KeyId: p.GetKeyId(), Principal: p})
	close(k.changed)
	k.changed = make(chan struct{})
}

// hold delays responses until release is called.
func (k *keyauthServer) hold() (release func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held = make(chan struct{})
	held := k.held
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.held = nil
		close(held)
	}
}

// cut breaks every watch until mend is called.
func (k *keyauthServer) cut() (mend func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.gapped = true
	close(k.changed)
	k.changed = make(chan struct{})
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.gapped = false
	}
}

// watches returns the versions at which watches began.
func (k *keyauthServer) watches() []int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.since)
}

func (k *keyauthServer) questions() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.asked
}

func (k *keyauthServer) VerifyKey(ctx context.Context, r *keyauthv1.VerifyKeyRequest) (*keyauthv1.VerifyKeyResponse, error) {
	res, held, err := k.read(apikey.Digest(r.GetDigest()))
	if held != nil {
		select {
		case <-held:
		case <-ctx.Done():
		}
	}
	return res, err
}

func (k *keyauthServer) read(digest apikey.Digest) (*keyauthv1.VerifyKeyResponse, <-chan struct{}, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked++
	p, ok := k.known[digest]
	if !ok {
		return nil, k.held, apperr.New(apperr.AuthInvalidKey, "the API key is not valid")
	}
	return &keyauthv1.VerifyKeyResponse{Principal: &keyauthv1.Principal{
		AccountId: p.GetAccountId(), KeyId: p.GetKeyId(), State: p.GetState(), Settings: p.GetSettings(), Version: k.head(),
		AccountLimits: p.GetAccountLimits(), AllowExperiments: p.GetAllowExperiments(), Budgets: p.GetBudgets(),
	}}, k.held, nil
}

func (k *keyauthServer) WatchKeys(r *keyauthv1.WatchKeysRequest, s keyauthv1.KeyAuthService_WatchKeysServer) error {
	at := k.begin(r.GetSinceVersion())
	for {
		msg, changed := k.after(at)
		if msg == nil {
			return apperr.New(apperr.AuthUnavailable, "cut")
		}
		if err := s.Send(msg); err != nil {
			return err
		}
		at = msg.GetVersion()
		select {
		case <-changed:
		case <-time.After(time.Second): // without a message the proxy gives up the watch
		case <-s.Context().Done():
			return nil
		}
	}
}

func (k *keyauthServer) begin(since int64) int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.since = append(k.since, since)
	if since == 0 {
		return k.head()
	}
	return since
}

// after returns the messages for a watch that has reached the version, nil if it must end.
func (k *keyauthServer) after(version int64) (*keyauthv1.WatchKeysResponse, <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.gapped {
		return nil, nil
	}
	return &keyauthv1.WatchKeysResponse{Version: k.head(), Changes: k.log[version-1:], Spent: k.spent}, k.changed
}
