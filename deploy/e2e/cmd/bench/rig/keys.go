package rig

import (
	"context"
	"net/http"
	"time"
)

// Key is the API's response to the creation of a key.
type Key struct {
	ID     string `json:"id"`
	Secret string `json:"key"`
}

// CreateKey creates a key of the signed-in account. It never expires if expires is nil.
func (s *Box) CreateKey(ctx context.Context, expires *time.Time) (Key, error) {
	var made Key
	settings := map[string]any{"name": "bench", "expires_at": expires}
	return made, s.Call(ctx, http.MethodPost, "/keys", settings, &made)
}

// RegisterAccount creates another account and returns a key of it.
func (s *Box) RegisterAccount(ctx context.Context) (string, error) {
	who := map[string]string{"email": "quiet@example.com", "password": "correct horse battery", "name": "quiet"}
	other := &Box{API: s.API, SignIn: "/register", Secret: who}
	if err := other.OpenSession(ctx); err != nil {
		return "", err
	}
	key, err := other.CreateKey(ctx, nil)
	return key.Secret, err
}
