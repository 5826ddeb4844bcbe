package sessionredis

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionkeeper"
)

// One batch has the sessions of several accounts, which a cluster must have in one slot.
func TestABatchOfACluster(t *testing.T) {
	r := open(t, testenv.Cluster(t))
	var all []sessionkeeper.Change
	for n := range 10 {
		all = append(all, change(strconv.Itoa(n), "s", nil, served("m", time.Now())))
	}
	save(t, r, all...)
	for n := range 10 {
		account := strconv.Itoa(n)
		require.Equal(t, int64(1), load(t, r, account, session.KeyOf(account, "s")).Totals.Requests)
	}
}
