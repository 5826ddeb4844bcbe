package sqldb

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
)

const (
	// scramRounds is the default of Postgres.
	scramRounds = 4096
	scramSalt   = 16
)

// scramVerifier returns the verifier that Postgres stores for a password (RFC 5803). A verifier is enough
// to check a password, but not to recover it.
func scramVerifier(password string) (string, error) {
	if password == "" {
		return "", errors.New("the password is empty")
	}
	for _, c := range []byte(password) {
		if c < ' ' || c > '~' {
			return "", errors.New("the password contains characters other than printable ASCII")
		}
	}
	salt := make([]byte, scramSalt)
	_, _ = rand.Read(salt) // never fails
	salted, err := pbkdf2.Key(sha256.New, password, salt, scramRounds, sha256.Size)
	if err != nil {
		return "", fmt.Errorf("derive key from password: %w", err)
	}
	stored := sha256.Sum256(scramKey(salted, "Client Key"))
	b64 := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", scramRounds, b64(salt), b64(stored[:]), b64(scramKey(salted, "Server Key"))), nil
}

func scramKey(salted []byte, name string) []byte {
	mac := hmac.New(sha256.New, salted)
	_, _ = mac.Write([]byte(name)) // never fails
	return mac.Sum(nil)
}
