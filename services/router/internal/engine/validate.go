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

// checkSecrets returns a fault if a stored version uses secrets that published policies
// must not use now. err is an error of the store: then it is unknown whether there is a
// fault.
func (e *Engine) checkSecrets(ctx context.Context, v Version, p *policy.Policy) (fault, err error) {
	ref, err := e.forbiddenSecret(ctx, v, p)
	if ref == "" || err != nil {
		return nil, err
	}
	if _, fault := e.Validate(v.Document); fault != nil {
		return fault, nil
	}
	return apperr.New(apperr.PolicyInvalid, fmt.Sprintf("policy %s sends the secret %s to an address that is not allowed any more for published policies: publish the document again", v.Name, ref)), nil
}

// restrictSecrets returns p, the compiled form of a stored version. If p uses secrets that
// published policies must not use now, it returns the result of Validate instead: the
// document itself may be valid, for example if the catalog's address of a provider has
// changed since it was compiled.
func (e *Engine) restrictSecrets(ctx context.Context, v Version, p *policy.Policy) (*policy.Policy, error) {
	ref, err := e.forbiddenSecret(ctx, v, p)
	if ref == "" || err != nil {
		return p, err
	}
	return e.Validate(v.Document)
}

// forbiddenSecret returns a secret that p, the compiled form of a stored version, must not
// use now, or "". The version can be older than the operator's rules. Versions of the
// operator's file are free. Errors: those of Get.
func (e *Engine) forbiddenSecret(ctx context.Context, v Version, p *policy.Policy) (string, error) {
	ref := e.firstForbiddenSecret(p)
	if ref == "" || e.ReadOnly() {
		return "", nil
	}
	first, err := e.Get(ctx, v.Name) // with the origin of its first activation
	if err != nil || first.Origin == OriginFile {
		return "", err
	}
	return ref, nil
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
