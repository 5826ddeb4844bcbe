// Package imports converts the configuration of another gateway into a policy. The policy
// goes to standard output. What the user has to know or to do goes to standard error, so
// that `signalbox import litellm config.yaml > signalbox.yaml` shows it. No service is
// needed.
package imports
