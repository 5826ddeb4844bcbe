package control

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCredentialsAreReportedWhenTheyChangeOrAge(t *testing.T) {
	all := []Credential{{"openai", "env:OPENAI_API_KEY", CredentialMissing}}
	c := credentialReporter{list: func() []Credential { return all }}
	now := time.Unix(100, 0)
	first := c.next(now)
	require.Equal(t, []string{"openai", "env:OPENAI_API_KEY", "missing"},
		[]string{first.GetCredentials()[0].GetProvider(), first.GetCredentials()[0].GetName(), first.GetCredentials()[0].GetState()})
	require.Nil(t, c.next(now.Add(credentialsRepeat-1)))
	require.NotNil(t, c.next(now.Add(credentialsRepeat)), "the router forgets old reports")
	all = []Credential{{"openai", "env:OPENAI_API_KEY", CredentialPresent}}
	require.Equal(t, "present", c.next(now.Add(credentialsRepeat + 1)).GetCredentials()[0].GetState())
	all = nil
	require.Empty(t, c.next(now.Add(credentialsRepeat+2)).GetCredentials())
	require.Nil(t, c.next(now.Add(credentialsRepeat+3)))
}
