// A drained provider or model receives no new requests until an operator resumes it.

export interface Drain {
  /** null means every provider of the model. */
  provider: string | null
  /** null means every model of the provider. */
  model: string | null
  reason: string
  author: string | null
  since: string | null
}

/** What a drain concerns: a provider, a model at all providers, or a model at one provider. */
export interface DrainTarget {
  provider?: string | null
  model?: string | null
}

/** Returns the drain of exactly this target. */
export function findDrain(all: Drain[], t: DrainTarget): Drain | undefined {
  return all.find((d) => (d.provider ?? '') === (t.provider ?? '') && (d.model ?? '') === (t.model ?? ''))
}

/** Returns every drain that stops requests to a model at a provider. */
export function drainsOf(all: Drain[], provider: string, model: string): Drain[] {
  return all.filter((d) => (d.provider === null || d.provider === provider) && (d.model === null || d.model === model))
}

/** Names the target in a sentence. */
export function targetName(t: DrainTarget): string {
  if (!t.model) return t.provider ?? ''
  return t.provider ? `${t.model} at ${t.provider}` : `${t.model} at every provider`
}

/** How many proxies have a credential. */
export interface Credential {
  provider: string
  name: string
  present: number
  missing: number
  rejected: number
}

/** Describes a credential. ok is false if requests to the provider can fail because of it. */
export function describeCredential(c: Credential): { ok: boolean; text: string } {
  const all = c.present + c.missing + c.rejected
  const proxies = (n: number) => (all === 1 ? '' : n === all ? ` at all ${all} proxies` : ` at ${n} of ${all} proxies`)
  if (c.missing > 0) return { ok: false, text: `missing${proxies(c.missing)}` }
  if (c.rejected > 0) return { ok: false, text: `rejected by the provider${proxies(c.rejected)}` }
  return { ok: true, text: `found${proxies(c.present)}` }
}
