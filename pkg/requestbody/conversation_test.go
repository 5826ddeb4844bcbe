package requestbody_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

func TestConversationID(t *testing.T) {
	talk := func(messages, more string) uint64 {
		return chat(t, `{"model":"m","messages":[`+messages+`]`+more+`}`).ConversationID()
	}
	const system, first = `{"role":"system","content":"be brief"}`, `{"role":"user","content":"hi"}`
	const answer, second = `{"role":"assistant","content":"hello"}`, `{"role":"user","content":"and now?"}`
	one := talk(system+","+first, "")
	require.NotZero(t, one)
	require.Equal(t, one, talk(system+","+first+","+answer+","+second, `,"temperature":1`), "later turns")
	require.NotEqual(t, one, talk(first, ""))
	require.NotEqual(t, one, talk(system+","+second, ""))
	require.Zero(t, talk(system, ""), "there is no user message")

	named := talk(first, `,"prompt_cache_key":"thread-7"`)
	require.Equal(t, named, talk(second, `,"prompt_cache_key":"thread-7"`))
	require.NotEqual(t, named, talk(first, `,"prompt_cache_key":"thread-8"`))
	require.Equal(t, talk(first, ""), talk(first, `,"prompt_cache_key":""`))

	long := strings.Repeat("x", 100_000)
	require.NotEqual(t, talk(`{"role":"user","content":"a`+long+`"}`, ""), talk(`{"role":"user","content":"b`+long+`"}`, ""))
	require.NotEqual(t, talk(`{"role":"user","content":"`+long+`"}`, ""), talk(`{"role":"user","content":"`+long+`x"}`, ""))

	r, err := requestbody.ParseEmbeddings([]byte(`{"model":"m","input":"x"}`))
	require.NoError(t, err)
	require.Zero(t, r.ConversationID())
}
