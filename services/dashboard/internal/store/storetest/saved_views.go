package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/savedview"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// savedViews: private views are seen by their author only, shared ones by the account.
func savedViews(t *testing.T, s *store.Store) {
	now := time.Now().UTC().Truncate(time.Microsecond)
	make := func(id, account, author, name string, shared bool) savedview.View {
		now = now.Add(time.Second)
		return savedview.View{ID: id, AccountID: account, AuthorID: author, Author: author + "@example.com", Name: name, Query: "q=model%3Ax", Shared: shared, Created: now}
	}
	save := func(v savedview.View) savedview.View {
		require.NoError(t, s.SaveView(t.Context(), v))
		return v
	}
	seen := func(account, user string) string {
		all, err := s.Views(t.Context(), account, user)
		require.NoError(t, err)
		var ids []string
		for _, v := range all {
			ids = append(ids, v.ID)
		}
		return strings.Join(ids, " ")
	}
	first := save(make("own", "acc", "ann", "mine", false))
	save(make("shared", "acc", "ann", "ours", true))
	save(make("bob", "acc", "bob", "mine", false))
	save(make("far", "other", "eve", "theirs", true))
	require.Equal(t, "own shared", seen("acc", "ann"))
	require.Equal(t, "shared bob", seen("acc", "bob"))
	require.Equal(t, "far", seen("other", "ann"))
	all, err := s.Views(t.Context(), "acc", "ann")
	require.NoError(t, err)
	require.Equal(t, first, all[0])

	save(make("again", "acc", "ann", "mine", true))
	require.Equal(t, "shared again", seen("acc", "ann"), "the same name replaces a view")

	remove := func(account, user, id string, ofOthers bool) apperr.Code {
		return apperr.CodeOf(s.DeleteView(t.Context(), account, user, id, ofOthers))
	}
	require.Equal(t, apperr.NotFound, remove("other", "ann", "shared", true))
	require.Equal(t, apperr.NotFound, remove("acc", "ann", "bob", true), "a private view of another user")
	require.Equal(t, apperr.AuthForbidden, remove("acc", "bob", "shared", false))
	require.NoError(t, s.DeleteView(t.Context(), "acc", "bob", "shared", true))
	require.NoError(t, s.DeleteView(t.Context(), "acc", "ann", "again", false))
	require.Equal(t, "bob", seen("acc", "bob"))

	for n := range savedview.MaxPerUser {
		save(make(fmt.Sprint("many-", n), "acc", "cid", fmt.Sprint("view ", n), false))
	}
	require.Equal(t, apperr.InvalidRequest, apperr.CodeOf(s.SaveView(t.Context(), make("over", "acc", "cid", "one more", false))))
	save(make("many-again", "acc", "cid", "view 0", false))
}
