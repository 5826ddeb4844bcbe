package remote

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPickOneResolvesReferences(t *testing.T) {
	users := []Labels{
		{Names: []string{"ann@example.com"}, IDs: []string{"0198-aaaa-1", "sbx_live_abcd"}},
		{Names: []string{"ann@example.org"}, IDs: []string{"0198-aabb-2", "sbx_live_abce"}},
		{Names: []string{"0198-aaaa"}, IDs: []string{"0299-cccc-3", ""}},
		{Names: []string{"0198-aabb-2"}, IDs: []string{"0300-dddd-4"}},
		{Names: []string{"\x1b[2Jann@example.net"}, IDs: []string{"0300-dddd-5"}},
	}
	same := func(l Labels) Labels { return l }
	for ref, want := range map[string]string{
		"ann@example.com": "0198-aaaa-1", "ANN@Example.org": "0198-aabb-2", "0198-aaaa-": "0198-aaaa-1",
		"0299": "0299-cccc-3", "sbx_live_abce": "0198-aabb-2", "0198-aabb-2": "0198-aabb-2",
	} {
		h, err := PickOne("user", ref, nil, users, same)
		require.NoError(t, err, ref)
		require.Equal(t, want, h.ID, ref)
	}
	for ref, want := range map[string]string{
		"0198-aa": "matches 2 users, give more of the id: 0198-aaaa-1 (ann@example.com), 0198-aabb-2 (ann@example.org)", "sbx_live_": "matches 2 users",
		// A name is free text and must not hide an id that starts with it.
		"0198-aaaa": "matches 2 users, give more of the id: 0198-aaaa-1 (ann@example.com), 0299-cccc-3 (0198-aaaa)",
		"0300-dddd": "0300-dddd-5 (?[2Jann@example.net)",
		"ann@":      "no such user", "": "at least 4 characters", "029": "at least 4 characters", "0400-": "no such user (NOT_FOUND)",
	} {
		_, err := PickOne("user", ref, nil, users, same)
		require.ErrorContains(t, err, want, ref)
	}
}
