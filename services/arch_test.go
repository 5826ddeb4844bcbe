// Package services contains the programs. Its tests check which package may import
// which; README.md in this folder explains the rules. The tests read the source files
// themselves. If they called the go command, go test would not notice a changed import
// and would reuse a cached result.
package services

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// layer is the purpose of a package inside a service. It determines what the package
// may import.
type layer int

const (
	// domain packages contain the business rules. They import no transport and no
	// database, so they can be tested without a server.
	domain layer = iota + 1
	// storage packages import domain packages and SQL, but no transport.
	storage
	// encoding packages convert domain types to bytes and back, for storage and
	// transport. They may import protobuf, but neither a transport nor SQL.
	encoding
	// transport packages communicate with other processes. They import domain
	// packages, but no SQL.
	transport
)

// layers lists every internal package of a service. The test fails for a package that
// is not listed, so that no package escapes the rules. A * matches one folder. Packages
// whose names end in "test" need no row.
var layers = map[string]layer{
	"services/proxy/internal/agent":            domain,
	"services/proxy/internal/api":              transport,
	"services/proxy/internal/control":          transport,
	"services/proxy/internal/counters":         storage,
	"services/proxy/internal/bodyreader":       transport,
	"services/proxy/internal/breaker":          domain,
	"services/proxy/internal/dispatch":         domain,
	"services/proxy/internal/egress":           transport,
	"services/proxy/internal/gate":             domain,
	"services/proxy/internal/keys":             domain,
	"services/proxy/internal/ledger":           domain,
	"services/proxy/internal/limits":           domain,
	"services/proxy/internal/inbound":          domain,
	"services/proxy/internal/inbound/*":        domain,
	"services/proxy/internal/modellist":        domain,
	"services/proxy/internal/namelist":         domain,
	"services/proxy/internal/normalize":        domain,
	"services/proxy/internal/outbound":         domain,
	"services/proxy/internal/provider":         domain,
	"services/proxy/internal/provider/*":       transport,
	"services/proxy/internal/provider/keypool": domain,
	"services/proxy/internal/recordcodec":      encoding,
	"services/proxy/internal/redact":           domain,
	"services/proxy/internal/running":          domain,
	"services/proxy/internal/session":          domain,
	"services/proxy/internal/sessionkeeper":    domain,
	"services/proxy/internal/sessionredis":     storage,
	"services/proxy/internal/shadow":           domain,
	"services/proxy/internal/snapshot":         storage,
	"services/proxy/internal/spool":            domain,
	"services/proxy/internal/spool/segment":    domain,
	"services/proxy/internal/sse":              domain,
	"services/proxy/internal/storedid":         domain,
	"services/proxy/internal/tracecontext":     domain,
	"services/proxy/internal/tracing":          transport,
	"services/proxy/internal/upstreamerror":    domain,
	"services/proxy/internal/usagereport":      domain,

	"services/router/internal/engine":      domain,
	"services/router/internal/grpcapi":     transport,
	"services/router/internal/affinity":    domain,
	"services/router/internal/policydiff":  domain,
	"services/router/internal/policytests": domain,
	"services/router/internal/policyfile":  domain,
	"services/router/internal/secretrules": domain,
	"services/router/internal/features":    domain,
	"services/router/internal/quality":     domain,
	"services/router/internal/predict":     domain,
	"services/router/internal/training":    domain,
	"services/router/internal/enrich":      domain,
	"services/router/internal/rollouts":    domain,
	"services/router/internal/evidence":    domain,
	"services/router/internal/subject":     domain,
	"services/router/internal/store":       storage,

	"services/keyauth/internal/access":      domain,
	"services/keyauth/internal/account":     domain,
	"services/keyauth/internal/apitoken":    domain,
	"services/keyauth/internal/audit":       domain,
	"services/keyauth/internal/grpcapi":     transport,
	"services/keyauth/internal/keyring":     domain,
	"services/keyauth/internal/notice":      domain,
	"services/keyauth/internal/report":      domain,
	"services/keyauth/internal/setting":     domain,
	"services/keyauth/internal/signinguard": domain,
	"services/keyauth/internal/spend":       domain,
	"services/keyauth/internal/store":       storage,
	"services/keyauth/internal/webhook":     transport,

	"services/dashboard/ui":                       domain,
	"services/dashboard/internal/access":          transport,
	"services/dashboard/internal/alert":           domain,
	"services/dashboard/internal/api/*":           transport,
	"services/dashboard/internal/codec":           encoding,
	"services/dashboard/internal/docsite":         domain,
	"services/dashboard/internal/evidence":        domain,
	"services/dashboard/internal/failure":         domain,
	"services/dashboard/internal/sharedrun":       domain,
	"services/dashboard/internal/savedview":       domain,
	"services/dashboard/internal/httpapi":         transport,
	"services/dashboard/internal/ingest":          transport,
	"services/dashboard/internal/jsonvalue":       encoding,
	"services/dashboard/internal/measure":         transport,
	"services/dashboard/internal/notify":          transport,
	"services/dashboard/internal/quality":         domain,
	"services/dashboard/internal/readlimit":       domain,
	"services/dashboard/internal/recordjson":      encoding,
	"services/dashboard/internal/store/bulk":      storage,
	"services/dashboard/internal/store/retention": storage,
	"services/dashboard/internal/session":         transport,
	"services/dashboard/internal/signon":          transport,
	"services/dashboard/internal/completeness":    transport,
	"services/dashboard/internal/inflight":        encoding,
	"services/dashboard/internal/upkeep":          transport,
	"services/dashboard/internal/record":          domain,
	"services/dashboard/internal/replay":          domain,
	"services/dashboard/internal/rollout":         domain,
	"services/dashboard/internal/signals":         domain,
	"services/dashboard/internal/statistics":      domain,
	"services/dashboard/internal/store":           storage,
	"services/dashboard/internal/web":             transport,

	"services/allinone/internal/cli":                   domain,
	"services/allinone/internal/cli/access":            transport,
	"services/allinone/internal/cli/connect":           transport,
	"services/allinone/internal/cli/connect/clients":   domain,
	"services/allinone/internal/cli/connect/edit":      domain,
	"services/allinone/internal/cli/connect/userfiles": domain,
	"services/allinone/internal/cli/imports":           transport,
	"services/allinone/internal/cli/imports/draft":     domain,
	"services/allinone/internal/cli/imports/litellm":   domain,
	"services/allinone/internal/cli/imports/portkey":   domain,
	"services/allinone/internal/cli/learned":           transport,
	"services/allinone/internal/cli/ledger":            transport,
	"services/allinone/internal/cli/maintenance":       transport,
	"services/allinone/internal/cli/models":            domain,
	"services/allinone/internal/cli/policies":          transport,
	"services/allinone/internal/cli/providers":         transport,
	"services/allinone/internal/cli/remote":            transport,
	"services/allinone/internal/cli/statusline":        transport,
	"services/allinone/internal/sessionstore":          storage,
}

// sources are the folders that the rules cover, with their paths for this test. go test
// drops a cached result only if a file below the module's own root changes. So the test
// reads the other modules through links in testdata.
var sources = map[string]string{
	"services": ".",
	"pkg":      "testdata/pkg",
	"proto":    "testdata/proto",
}

func TestArchitecture(t *testing.T) {
	var files []sourceFile
	for root, dir := range sources {
		found, err := scanTree(os.DirFS(dir), root)
		require.NoError(t, err)
		require.NotEmpty(t, found, root)
		files = append(files, found...)
	}
	for _, problem := range checkFiles(files) {
		t.Error(problem)
	}
}
