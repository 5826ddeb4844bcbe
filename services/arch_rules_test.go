package services

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// rule forbids certain imports.
type rule struct {
	never    string // the forbidden import, for the message
	isBroken func(f sourceFile, l layer, imported string) bool
}

var (
	transports = []string{"google.golang.org/grpc", "net/http", prefix + "pkg/rpc", prefix + "pkg/httpserver"}
	messages   = []string{"google.golang.org/protobuf", prefix + "proto"}
	databases  = []string{"database/sql", "github.com/jackc/pgx", "modernc.org/sqlite", prefix + "pkg/sqldb"}
	telemetry  = []string{"go.opentelemetry.io/otel", prefix + "pkg/telemetry", prefix + "pkg/health"}
	redis      = []string{"github.com/redis/go-redis", prefix + "pkg/redisx"}
	testOnly   = []string{"testing", "net/http/httptest", "github.com/stretchr/testify"}
	dangerous  = []string{"os/exec", "text/template"}
)

var (
	infrastructure = slices.Concat(transports, messages, databases, telemetry, redis)
	pureShared     = []string{"pkg/decide", "pkg/catalog", "pkg/policy", "pkg/jsonscan", "pkg/requestbody", "pkg/tokens", "pkg/topic", "pkg/explain", "pkg/feedback", "pkg/rollout"}
	leaves         = []string{"pkg/apperr", "pkg/catalog", "pkg/config", "pkg/lifecycle", "pkg/apikey", "pkg/saturate"}
)

// shippedRules holds the rules for production code. Test files are exempt.
var shippedRules = []rule{
	{"a domain package imports a wire, a database or telemetry", func(f sourceFile, l layer, imported string) bool {
		return (l == domain || slices.Contains(pureShared, f.dir)) && isWithin(imported, infrastructure)
	}},
	{"a domain package imports its service's transport or storage", func(f sourceFile, l layer, imported string) bool {
		to := layerOf(localPath(imported))
		return l == domain && (to == transport || to == storage)
	}},
	{"transport imports storage: both meet in the service's face", func(f sourceFile, l layer, imported string) bool {
		return l == transport && layerOf(localPath(imported)) == storage
	}},
	{"storage or an encoding imports a wire", func(f sourceFile, l layer, imported string) bool {
		wired := isWithin(imported, transports) || layerOf(localPath(imported)) == transport
		return (l == storage || l == encoding) && wired
	}},
	{"SQL outside a store", func(f sourceFile, l layer, imported string) bool {
		sql := isWithin(imported, databases) && localPath(imported) == ""
		return sql && serviceOf(f.dir) != "" && l != storage
	}},
	{"the proxy has a database", func(f sourceFile, l layer, imported string) bool {
		return serviceOf(f.dir) == "proxy" && isWithin(imported, databases)
	}},
	{"the router uses redis", func(f sourceFile, l layer, imported string) bool {
		return serviceOf(f.dir) == "router" && isWithin(imported, redis)
	}},
	{"shipped code imports what exists for tests", func(f sourceFile, l layer, imported string) bool {
		return isWithin(imported, testOnly) || isTestSuite(localPath(imported))
	}},
	{"shipped code starts processes or renders unescaped text", func(f sourceFile, l layer, imported string) bool {
		return isWithin(imported, dangerous)
	}},
}

// commonRules holds the rules for all files, including tests.
var commonRules = []rule{
	{"a service imports another", func(f sourceFile, l layer, imported string) bool {
		from, to := serviceOf(f.dir), serviceOf(localPath(imported))
		return from != "" && from != "allinone" && to != "" && to != from
	}},
	{"a package outside the all-in-one imports it", func(f sourceFile, l layer, imported string) bool {
		return serviceOf(localPath(imported)) == "allinone" && serviceOf(f.dir) != "allinone"
	}},
	{"a provider imports another; openaicompat, upstream and keypool may be reused", func(f sourceFile, l layer, imported string) bool {
		const providers = "services/proxy/internal/provider"
		from, to := f.dir, localPath(imported)
		free := path.Base(from) == "registry" || isTestSuite(to) ||
			slices.Contains([]string{"openaicompat", "upstream", "keypool"}, path.Base(to))
		return path.Dir(from) == providers && path.Dir(to) == providers && from != to && !free
	}},
	{"pkg imports a service", func(f sourceFile, l layer, imported string) bool {
		return topFolder(f.dir) == "pkg" && topFolder(localPath(imported)) == "services"
	}},
	{"proto imports anything else of ours", func(f sourceFile, l layer, imported string) bool {
		return topFolder(f.dir) == "proto" && localPath(imported) != "" && topFolder(localPath(imported)) != "proto"
	}},
}

// leafRule is separate because the tests of a leaf may import anything.
var leafRule = rule{"a leaf imports anything else of ours", func(f sourceFile, l layer, imported string) bool {
	to := localPath(imported)
	return slices.Contains(leaves, f.dir) && to != "" && to != f.dir && to != "pkg/saturate" && !f.isTest()
}}

// checkFiles returns a message for every broken rule, sorted.
func checkFiles(files []sourceFile) []string {
	var problems []string
	for _, f := range files {
		problems = append(problems, checkImports(f)...)
	}
	problems = append(problems, checkLayerTable(files, layers)...)
	problems = append(problems, checkDocs(files)...)
	slices.Sort(problems)
	return problems
}

func checkImports(f sourceFile) []string {
	l := layerOf(f.dir)
	rules := slices.Concat(commonRules, []rule{leafRule})
	if !f.isTest() {
		rules = slices.Concat(rules, shippedRules)
	}
	var problems []string
	for _, imported := range f.imports {
		for _, r := range rules {
			if r.isBroken(f, l, imported) {
				problems = append(problems, fmt.Sprintf("%s/%s imports %s; never: %s", f.dir, f.name, imported, r.never))
			}
		}
	}
	return problems
}

// checkLayerTable requires a row for every internal package of a service, and a
// package for every row.
func checkLayerTable(files []sourceFile, listed map[string]layer) []string {
	unused := maps.Clone(listed)
	problems := map[string]bool{}
	for _, f := range files {
		row := findLayerRow(f.dir, listed)
		delete(unused, row)
		if row == "" && strings.Contains(f.dir+"/", "/internal/") && !isTestSuite(f.dir) {
			problems[f.dir+" has no row in the table of layers in services/arch_test.go"] = true
		}
	}
	for row := range unused {
		problems[row+" has a row in the table of layers, but does not exist"] = true
	}
	return slices.Collect(maps.Keys(problems))
}

// checkDocs requires a package comment in every package that is not generated.
func checkDocs(files []sourceFile) []string {
	documented := map[string]bool{}
	for _, f := range files {
		documented[f.dir] = documented[f.dir] || f.doc || f.generated
	}
	var problems []string
	for dir, ok := range documented {
		if !ok {
			problems = append(problems, dir+" has no package comment")
		}
	}
	return problems
}
