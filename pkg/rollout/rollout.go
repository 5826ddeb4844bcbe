// Package rollout decides which requests a policy version serves while it is rolled out. A
// version takes the shares of Steps one after the other. InShare decides by a hash, so that
// all proxies and routers agree without talking to each other, and so that a session that
// the new version once serves keeps it while the share grows.
package rollout

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// Whole is the share of all sessions. Shares are in hundredths of a percent.
const Whole = 10_000

// Steps returns the shares that a rollout takes, in order.
func Steps() []int32 { return []int32{100, 1000, 5000, Whole} }

// NextStep returns the share after a share. It returns Whole for the last ones.
func NextStep(share int32) int32 {
	steps := Steps()
	if i := slices.IndexFunc(steps, func(s int32) bool { return s > share }); i >= 0 {
		return steps[i]
	}
	return Whole
}

// InShare reports whether the rollout with this id serves a session with the new version. The
// owner is the account; subject is the id of the session or, without a session, of the key.
// Different rollouts select different sessions.
func InShare(id string, share int32, owner, subject string) bool {
	if share <= 0 {
		return false
	}
	text := make([]byte, 0, 128)
	for _, part := range [...]string{id, owner, subject} {
		text = append(binary.AppendUvarint(text, uint64(len(part))), part...)
	}
	sum := sha256.Sum256(text)
	return binary.BigEndian.Uint64(sum[:])%Whole < uint64(share)
}
