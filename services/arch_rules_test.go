package services

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// rule forbids an import.
type rule struct {
	never  string // what never happens, for the message
	broken func(f file, l layer, imported string) bool
}

var (
	wires     = []string{"google.golang.org/grpc", "net/http", prefix + "pkg/rpc", prefix + "pkg/httpserver"}
	messages  = []string{"google.golang.org/protobuf", prefix + "proto"}
	databases = []string{"database/sql", "github.com/jackc/pgx", "modernc.org/sqlite", prefix + "pkg/sqldb"}
	meters    = []string{"go.opentelemetry.io/otel", prefix + "pkg/telemetry", prefix + "pkg/health"}
	redis     = []string{"github.com/redis/go-redis"}
	forTests  = []string{"testing", "net/http/httptest", "github.com/stretchr/testify"}
	dangerous = []string{"os/exec", "text/template"}
)

var (
	outside    = slices.Concat(wires, messages, databases, meters, redis)
	pureShared = []string{"pkg/decide", "pkg/catalog", "pkg/policy"}
	leaves     = []string{"pkg/apperr", "pkg/catalog", "pkg/config", "pkg/lifecycle", "pkg/apikey"}
)

// shipped are the rules of what runs in production; tests may do as they like.
var shipped = []rule{
	{"a domain package imports a wire, a database or telemetry", func(f file, l layer, imported string) bool {
		return (l == domain || slices.Contains(pureShared, f.dir)) && within(imported, outside)
	}},
	{"a domain package imports its service's transport or storage", func(f file, l layer, imported string) bool {
		to := layerOf(ours(imported))
		return l == domain && (to == transport || to == storage)
	}},
	{"transport imports storage: both meet in the service's face", func(f file, l layer, imported string) bool {
		return l == transport && layerOf(ours(imported)) == storage
	}},
	{"storage or an encoding imports a wire", func(f file, l layer, imported string) bool {
		wired := within(imported, wires) || layerOf(ours(imported)) == transport
		return (l == storage || l == encoding) && wired
	}},
	{"SQL outside a store", func(f file, l layer, imported string) bool {
		sql := within(imported, databases) && ours(imported) == ""
		return sql && service(f.dir) != "" && l != storage
	}},
	{"the proxy has a database", func(f file, l layer, imported string) bool {
		return service(f.dir) == "proxy" && within(imported, databases)
	}},
	{"the router uses redis", func(f file, l layer, imported string) bool {
		return service(f.dir) == "router" && within(imported, redis)
	}},
	{"shipped code imports what exists for tests", func(f file, l layer, imported string) bool {
		return within(imported, forTests) || suite(ours(imported))
	}},
	{"shipped code starts processes or renders unescaped text", func(f file, l layer, imported string) bool {
		return within(imported, dangerous)
	}},
}

// everywhere are the rules that tests keep too.
var everywhere = []rule{
	{"a service imports another", func(f file, l layer, imported string) bool {
		from, to := service(f.dir), service(ours(imported))
		return from != "" && from != "allinone" && to != "" && to != from
	}},
	{"somebody imports the all-in-one", func(f file, l layer, imported string) bool {
		return service(ours(imported)) == "allinone" && service(f.dir) != "allinone"
	}},
	{"a provider imports another; openaicompat, upstream and keypool may be reused", func(f file, l layer, imported string) bool {
		const providers = "services/proxy/internal/provider"
		from, to := f.dir, ours(imported)
		free := path.Base(from) == "registry" || suite(to) ||
			slices.Contains([]string{"openaicompat", "upstream", "keypool"}, path.Base(to))
		return path.Dir(from) == providers && path.Dir(to) == providers && from != to && !free
	}},
	{"pkg imports a service", func(f file, l layer, imported string) bool {
		return top(f.dir) == "pkg" && top(ours(imported)) == "services"
	}},
	{"proto imports anything else of ours", func(f file, l layer, imported string) bool {
		return top(f.dir) == "proto" && ours(imported) != "" && top(ours(imported)) != "proto"
	}},
}

// leaf has its own place: a leaf's tests may use suites, and nothing else.
var leaf = rule{"a leaf imports anything else of ours", func(f file, l layer, imported string) bool {
	to := ours(imported)
	return slices.Contains(leaves, f.dir) && to != "" && to != f.dir && !f.test()
}}

// check returns every broken rule, in words, sorted.
func check(files []file) []string {
	var problems []string
	for _, f := range files {
		problems = append(problems, checkImports(f)...)
	}
	problems = append(problems, checkListed(files, layers)...)
	problems = append(problems, checkDocs(files)...)
	slices.Sort(problems)
	return problems
}

func checkImports(f file) []string {
	l := layerOf(f.dir)
	rules := slices.Concat(everywhere, []rule{leaf})
	if !f.test() {
		rules = slices.Concat(rules, shipped)
	}
	var problems []string
	for _, imported := range f.imports {
		for _, r := range rules {
			if r.broken(f, l, imported) {
				problems = append(problems, fmt.Sprintf("%s/%s imports %s; never: %s", f.dir, f.name, imported, r.never))
			}
		}
	}
	return problems
}

// checkListed wants a row for every package inside a service, and a package
// for every row.
func checkListed(files []file, listed map[string]layer) []string {
	unused := maps.Clone(listed)
	problems := map[string]bool{}
	for _, f := range files {
		row := rowOf(f.dir, listed)
		delete(unused, row)
		if row == "" && strings.Contains(f.dir+"/", "/internal/") && !suite(f.dir) {
			problems[f.dir+" has no row in the table of layers in services/arch_test.go"] = true
		}
	}
	for row := range unused {
		problems[row+" has a row in the table of layers, but does not exist"] = true
	}
	return slices.Collect(maps.Keys(problems))
}

// checkDocs wants a package comment in every package written by hand.
func checkDocs(files []file) []string {
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
