package playground

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// keyTimeout limits a call that issues a key.
const keyTimeout = 5 * time.Second

// keyCache holds the playground keys of users until keyauth issues new ones.
type keyCache struct {
	flight singleflight.Group
	mu     sync.Mutex
	byUser map[string]*keyauthv1.IssuePlaygroundKeyResponse
}

// secret returns the key of a user. Unless it is cached, keyauth issues it.
func (c *keyCache) secret(ctx context.Context, accounts keyauthv1.AccountServiceClient, actor *keyauthv1.Actor) (string, error) {
	user := actor.GetAccountId() + " " + actor.GetUserId()
	if k := c.find(user); k != nil {
		return k.GetSecret(), nil
	}
	k, err, _ := c.flight.Do(user, func() (any, error) {
		// Another caller may wait for this call, so it must not end with this caller.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keyTimeout)
		defer cancel()
		k, err := accounts.IssuePlaygroundKey(ctx, &keyauthv1.IssuePlaygroundKeyRequest{Actor: actor})
		if err != nil {
			return "", httpapi.ToAccountsError(err)
		}
		c.store(user, k)
		return k.GetSecret(), nil
	})
	if err != nil {
		return "", err
	}
	return k.(string), nil
}

func (c *keyCache) find(user string) *keyauthv1.IssuePlaygroundKeyResponse {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.byUser[user]; k != nil && time.Now().Before(k.GetRefreshAt().AsTime()) {
		return k
	}
	return nil
}

// store also drops outdated keys, so that the cache holds only the users of the last period.
func (c *keyCache) store(user string, k *keyauthv1.IssuePlaygroundKeyResponse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byUser == nil {
		c.byUser = map[string]*keyauthv1.IssuePlaygroundKeyResponse{}
	}
	now := time.Now()
	for other, old := range c.byUser {
		if !now.Before(old.GetRefreshAt().AsTime()) {
			delete(c.byUser, other)
		}
	}
	c.byUser[user] = k
}

// forget drops a key that a proxy has rejected, unless it was replaced in the meantime.
func (c *keyCache) forget(actor *keyauthv1.Actor, secret string) {
	user := actor.GetAccountId() + " " + actor.GetUserId()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byUser[user].GetSecret() == secret {
		delete(c.byUser, user)
	}
}
