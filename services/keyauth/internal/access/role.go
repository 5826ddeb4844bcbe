package access

import "github.com/signalbox/signalbox/services/keyauth/internal/setting"

// Role is the permission level of a user in an account.
type Role string

// The roles; each includes the permissions of the previous one.
const (
	// Viewer can read.
	Viewer Role = "viewer"
	// Member can also create, change and revoke keys.
	Member Role = "member"
	// Owner can also change the account and its users.
	Owner Role = "owner"
)

// Rank orders the roles. It is 0 for an unknown role.
func (r Role) Rank() int {
	switch r {
	case Viewer:
		return 1
	case Member:
		return 2
	case Owner:
		return 3
	}
	return 0
}

// InvalidRole returns INVALID_REQUEST for an unknown role.
func InvalidRole() error {
	return setting.InvalidParam("role", "the role must be viewer, member or owner")
}
