package engine

import (
	"context"
	"fmt"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
)

// Validate compiles a document that is to be published. If the document is invalid, the
// error is POLICY_INVALID. Its details contain all problems, and its cause is
// policy.Problems. The secrets of such a document are restricted, unless the router uses
// the operator's file: then nothing can be published.
func (e *Engine) Validate(document string) (*policy.Policy, error) {
	if e.ReadOnly() {
		return e.compile(document)
	}
	return e.compile(document, policy.RestrictSecrets(e.secretAllowed))
}

func (e *Engine) compile(document string, options ...policy.Option) (*policy.Policy, error) {
	p, err := policy.Compile([]byte(document), e.catalog, options...)
	if err == nil {
		return p, nil
	}
	return nil, apperr.New(apperr.PolicyInvalid, "the policy document is not valid").With("problems", err).WithCause(err)
}

// checkSecrets returns an error if a stored version uses secrets that published policies
// must not use now. The version can be older than the operator's rules. Versions of the
// operator's file are free.
func (e *Engine) checkSecrets(ctx context.Context, v Version, p *policy.Policy) error {
	ref := e.firstForbiddenSecret(p)
	if ref == "" || e.ReadOnly() {
		return nil
	}
	first, err := e.Get(ctx, v.Name) // with the origin of its first activation
	if err == nil && first.Origin == OriginFile {
		return nil
	}
	if _, err := e.Validate(v.Document); err != nil {
		return err
	}
	return apperr.New(apperr.PolicyInvalid, fmt.Sprintf("policy %s uses the secret %s, which the operator did not allow for published policies", v.Name, ref))
}

func (e *Engine) firstForbiddenSecret(p *policy.Policy) string {
	for _, provider := range p.Providers {
		for _, key := range provider.Keys {
			if !e.secretAllowed(key.Ref, provider.BaseURL) {
				return key.Ref
			}
		}
	}
	return ""
}
