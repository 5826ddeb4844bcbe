package services

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// Every rule is broken once here, so that a rule that never fires is noticed.
func TestEveryRuleFires(t *testing.T) {
	fired := map[string]bool{}
	for _, c := range []struct{ file, imports, never string }{
		{"services/keyauth/internal/account/a.go", "net/http", "a domain package imports a wire"},
		{"services/keyauth/internal/account/a.go", "google.golang.org/grpc/codes", "a domain package imports a wire"},
		{"services/keyauth/internal/account/a.go", prefix + "proto/signalbox/keyauth/v1", "a domain package imports a wire"},
		{"services/keyauth/internal/account/a.go", "github.com/redis/go-redis/v9", "a domain package imports a wire"},
		{"services/keyauth/internal/account/a.go", "go.opentelemetry.io/otel/metric", "a domain package imports a wire"},
		{"services/keyauth/internal/account/a.go", prefix + "pkg/sqldb", "a domain package imports a wire"},
		{"pkg/decide/a.go", "google.golang.org/protobuf/proto", "a domain package imports a wire"},
		{"services/keyauth/internal/account/a.go", prefix + "services/keyauth/internal/store", "a domain package imports its service's"},
		{"services/keyauth/internal/grpcapi/a.go", prefix + "services/keyauth/internal/store", "transport imports storage"},
		{"services/keyauth/internal/store/a.go", "net/http", "storage or an encoding imports a wire"},
		{"services/keyauth/internal/store/a.go", prefix + "services/keyauth/internal/grpcapi", "storage or an encoding imports a wire"},
		{"services/dashboard/internal/codec/a.go", "google.golang.org/grpc", "storage or an encoding imports a wire"},
		{"services/keyauth/internal/grpcapi/a.go", "database/sql", "SQL outside a store"},
		{"services/router/router.go", "github.com/jackc/pgx/v5", "SQL outside a store"},
		{"services/proxy/proxy.go", prefix + "pkg/sqldb", "the proxy has a database"},
		{"services/router/internal/store/a.go", "github.com/redis/go-redis/v9", "the router uses redis"},
		{"services/proxy/proxy.go", prefix + "pkg/records/recordstest", "shipped code imports what exists for tests"},
		{"services/proxy/proxy.go", "net/http/httptest", "shipped code imports what exists for tests"},
		{"pkg/config/a.go", "os/exec", "shipped code starts processes"},
		{"services/proxy/proxy.go", prefix + "services/router", "a service imports another"},
		{"services/proxy/proxy_test.go", prefix + "services/router", "a service imports another"},
		{"pkg/config/a_test.go", prefix + "services/allinone", "a package outside the all-in-one imports it"},
		{"services/proxy/internal/provider/sandbox/a.go", prefix + "services/proxy/internal/provider/anthropic", "a provider imports another"},
		{"services/proxy/internal/provider/sandbox/a.go", prefix + "services/proxy/internal/provider/registry", "a provider imports another"},
		{"pkg/records/a_test.go", prefix + "services/proxy", "pkg imports a service"},
		{"proto/a_test.go", prefix + "pkg/apperr", "proto imports anything else"},
		{"pkg/apperr/a.go", prefix + "pkg/config", "a leaf imports anything else"},
	} {
		t.Run(c.never+" "+c.imports, func(t *testing.T) {
			problems := strings.Join(checkImports(source(t, c.file, c.imports)), "\n")
			require.Contains(t, problems, "never: "+c.never)
			for _, r := range append(append(commonRules, shippedRules...), leafRule) {
				if strings.HasPrefix(r.never, c.never) {
					fired[r.never] = true
				}
			}
		})
	}
	require.Len(t, fired, len(commonRules)+len(shippedRules)+1, "a rule has no case here: %v", fired)
}

func TestWhatIsAllowed(t *testing.T) {
	for _, c := range []struct{ file, imports string }{
		{"services/keyauth/internal/account/a.go", prefix + "pkg/apperr"},
		{"services/keyauth/internal/account/a_test.go", prefix + "services/keyauth/internal/store"},
		{"services/keyauth/internal/store/a.go", "database/sql"},
		{"services/keyauth/internal/store/storetest/a.go", "testing"},
		{"services/keyauth/internal/grpcapi/a.go", "google.golang.org/grpc"},
		{"services/dashboard/internal/codec/a.go", "google.golang.org/protobuf/proto"},
		{"services/dashboard/internal/store/a.go", prefix + "services/dashboard/internal/codec"},
		{"services/keyauth/keyauth.go", prefix + "pkg/sqldb"},
		{"services/allinone/allinone.go", prefix + "services/proxy"},
		{"services/allinone/cmd/signalbox/main.go", prefix + "services/allinone"},
		{"services/proxy/internal/provider/groq/a.go", prefix + "services/proxy/internal/provider/openaicompat"},
		{"services/proxy/internal/provider/groq/a.go", prefix + "services/proxy/internal/provider/upstream"},
		{"services/proxy/internal/provider/groq/a_test.go", prefix + "services/proxy/internal/provider/providertest"},
		{"services/proxy/internal/provider/groq/a.go", "net/http"},
		{"services/proxy/internal/provider/registry/a.go", prefix + "services/proxy/internal/provider/groq"},
		{"pkg/testkit/testenv/a.go", "os/exec"},
		{"pkg/policy/a.go", prefix + "pkg/catalog"},
		{"pkg/apperr/a_test.go", prefix + "pkg/rpc"},
		{"pkg/rpc/a.go", "google.golang.org/grpc/test/bufconn"},
	} {
		t.Run(c.file+" "+c.imports, func(t *testing.T) {
			require.Empty(t, checkImports(source(t, c.file, c.imports)))
		})
	}
}

func TestTableOfLayersIsWhole(t *testing.T) {
	listed := map[string]layer{"services/x/internal/a": domain, "services/x/internal/p/*": transport, "services/x/internal/gone": storage}
	files := []sourceFile{
		{dir: "services/x"}, {dir: "services/x/internal/a"}, {dir: "services/x/internal/a/atest"},
		{dir: "services/x/internal/p/one"}, {dir: "services/x/internal/b"},
	}
	require.ElementsMatch(t, []string{
		"services/x/internal/b has no row in the table of layers in services/arch_test.go",
		"services/x/internal/gone has a row in the table of layers, but does not exist",
	}, checkLayerTable(files, listed))
}

func TestScan(t *testing.T) {
	files, err := scanTree(fstest.MapFS{
		"a/a.go":            {Data: []byte("// Package a is documented.\npackage a\nimport \"fmt\"\n")},
		"a/a_test.go":       {Data: []byte("package a\nimport x \"testing\"\n")},
		"b/b.go":            {Data: []byte("package b\n")},
		"c/c.pb.go":         {Data: []byte("// Code generated by x. DO NOT EDIT.\n\npackage c\n")},
		"a/testdata/bad.go": {Data: []byte("not Go")},
		"a/README.md":       {Data: []byte("not Go")},
	}, "pkg")
	require.NoError(t, err)
	require.Equal(t, []sourceFile{
		{dir: "pkg/a", name: "a.go", imports: []string{"fmt"}, doc: true},
		{dir: "pkg/a", name: "a_test.go", imports: []string{"testing"}},
		{dir: "pkg/b", name: "b.go"},
		{dir: "pkg/c", name: "c.pb.go", generated: true},
	}, files)
	require.Equal(t, []string{"pkg/b has no package comment"}, checkDocs(files))
}

func source(t *testing.T, name, imported string) sourceFile {
	t.Helper()
	f, err := parseFile(name, []byte("package x\n\nimport _ \""+imported+"\"\n"))
	require.NoError(t, err)
	return f
}
