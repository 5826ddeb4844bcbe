package apperr_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

var errSecret = errors.New("dial postgres://user:hunter2@db")

// codes are the constants of type Code, read from the source so that none is forgotten.
func codes(t *testing.T) []apperr.Code {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	require.NoError(t, err)
	var out []apperr.Code
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Code" {
			for _, v := range spec.Values {
				text, err := strconv.Unquote(v.(*ast.BasicLit).Value)
				require.NoError(t, err)
				out = append(out, apperr.Code(text))
			}
		}
		return false
	})
	require.Contains(t, out, apperr.AuthMissingKey)
	require.Contains(t, out, apperr.StoreUnavailable)
	return out
}

func TestEveryCodeHasARow(t *testing.T) {
	seen := map[apperr.Code]bool{}
	for _, code := range codes(t) {
		require.True(t, code.IsKnown(), "%s is not in the table", code)
		require.False(t, seen[code], "%s is there twice", code)
		seen[code] = true
		require.Regexp(t, `^[A-Z]+(_[A-Z]+)*$`, string(code))
		require.NotZero(t, code.Spec().GRPC, "%s would be OK on gRPC", code)
		require.NotEqual(t, 501, code.Spec().Status, "SDKs retry it")
	}
}

func TestUnknownCodeMeansInternal(t *testing.T) {
	require.False(t, apperr.Code("NEW").IsKnown())
	require.Equal(t, apperr.Internal.Spec(), apperr.Code("NEW").Spec())
}

func TestCopiesAreIndependent(t *testing.T) {
	base := apperr.New(apperr.InvalidRequest, "bad").With("param", "n")
	more := base.With("limit", 8).WithRetryAfter(time.Second).WithCause(errSecret)
	require.Equal(t, apperr.Details{"param": "n"}, base.Details)
	require.Zero(t, base.RetryAfter)
	require.NoError(t, errors.Unwrap(base))
	require.Equal(t, apperr.Details{"param": "n", "limit": 8}, more.Details)
	require.Equal(t, time.Second, more.RetryAfter)
	require.ErrorIs(t, more, errSecret)
	require.Contains(t, more.Error(), "hunter2", "logs need the cause")
}

func TestFrom(t *testing.T) {
	require.Nil(t, apperr.From(nil))
	require.Empty(t, apperr.CodeOf(nil))

	e := apperr.New(apperr.ModelNotFound, "no such model")
	require.Same(t, e, apperr.From(fmt.Errorf("decide: %w", e)))
	require.True(t, apperr.Is(fmt.Errorf("decide: %w", e), apperr.ModelNotFound))
	require.False(t, apperr.Is(e, apperr.Internal))

	unknown := apperr.From(errSecret)
	require.Equal(t, apperr.Internal, unknown.Code)
	require.Equal(t, "internal error", unknown.Message)
	require.ErrorIs(t, unknown, errSecret)
}
