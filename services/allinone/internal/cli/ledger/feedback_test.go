package ledger

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/clitest"
)

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// ratedView is the evidence in the detail of a request.
type ratedView struct {
	Evidence []struct {
		Source string  `json:"source"`
		Score  float64 `json:"score"`
		Reason *string `json:"reason"`
	} `json:"evidence"`
}

func TestFeedbackIsImportedFromFiles(t *testing.T) {
	data, base, key := clitest.StartGateway(t)
	id := clitest.SendChat(t, base, key, "auto")
	require.Eventually(t, func() bool {
		_, err := commands.RunOffline(t, "requests", "show", id, "--data", data)
		return err == nil
	}, 20*time.Second, 20*time.Millisecond)

	comma := writeFile(t, "a.csv", "\uFEFFRequest_ID,score,reason,source\n"+id+",0.25,\"wrong,\nquite\",survey\n"+id+",1,,ann\n")
	out, _ := commands.Run(t, "feedback", "import", comma, "--data", data)
	require.Regexp(t, `Imported +2`, out)
	lines := writeFile(t, "b.ndjson", fmt.Sprintf("{\"request_id\":%q,\"verdict\":\"up\"}\n\n{\"request_id\":%q,\"verdict\":\"down\",\"source\":\"ann\"}\n", id, id))
	out, _ = commands.Run(t, "feedback", "import", lines, "--data", data, "--json")
	require.JSONEq(t, `{"imported":2,"skipped":0}`, out)

	out, _ = commands.Run(t, "requests", "show", id, "--json", "--data", data)
	var r ratedView
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	scores := map[string]float64{}
	for _, e := range r.Evidence {
		scores[e.Source] = e.Score
	}
	require.Equal(t, map[string]float64{"survey": 0.25, "ann": 0, "import": 1}, scores)
}

func TestInvalidLinesStopTheImport(t *testing.T) {
	data, base, key := clitest.StartGateway(t)
	id := clitest.SendChat(t, base, key, "auto")
	bad := writeFile(t, "bad.csv", "request_id,score,verdict\n"+id+",1,\nx,1,\n"+id+",2,\n"+id+",,sideways\n"+id+",a,\n"+id+",1\n"+id+",0.5,\n")
	_, err := commands.RunOffline(t, "feedback", "import", bad, "--data", data)
	require.ErrorContains(t, err, "5 of 7 lines invalid, nothing was imported")
	out, problems := commands.Run(t, "feedback", "import", bad, "--data", data, "--skip-invalid")
	require.Regexp(t, `Imported +2\nSkipped +5`, out)
	for _, line := range []string{
		"line 3: request_id must be", "line 4: score must be a number from 0 to 1", "line 5: verdict must be up or down", "line 6: score must be", "line 7: ",
	} {
		require.Contains(t, problems, line)
	}
	for name, text := range map[string]string{
		"a.csv": "id,score\n", "b.csv": "score,score\n", "c.txt": "x", "d.ndjson": `{"request_id":1}`, "e.ndjson": strings.Repeat("x", maxFeedbackLine+1), "f.csv": "request_id,score\n",
	} {
		_, err := commands.RunOffline(t, "feedback", "import", writeFile(t, name, text), "--data", data)
		require.Error(t, err, name)
	}
}
