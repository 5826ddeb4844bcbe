import { capitalizeSentence, escapeInvisible, pluralize } from '../../format'
import { addCandidate, type Added, assumedQuality, candidatesLine, modelLine } from './added'
import type { LiveCheck } from './check'
import { warnFreeModel } from './freemodel'
import type { Problem } from './types'
import { whenVisible } from './visible'

/** The notice, not the added line, is what to read first. */
const show = (el: HTMLElement | null): void => void (el && whenVisible(el, () => el.scrollIntoView({ block: 'start' })))

/** Says what is left to do until routes use a provider that was added to the draft. */
export function AddedNotice({ of: a, check, text, silent = false, onText }: { of: Added; /** Whether the server did not answer when it was added. */ silent?: boolean; check: Pick<LiveCheck, 'now' | 'last'>; text: string; onText: (text: string) => void }) {
  const name = <b>{escapeInvisible(a.provider)}</b>
  const isReady = check.now?.problems.length === 0
  const problems = check.last?.problems ?? []
  const estimate = a.isLocal && a.models.length > 0 ? <> Signalbox assumes the quality {assumedQuality} for a local model. Change <code>quality</code> in its entry if you know better.</> : null
  const warnings = <Warnings silent={silent} traffic={warnFreeModel(text, check.last?.rules ?? [], a.models)} />
  if (a.isRouted) {
    return (
      <div class="about added" role="status" ref={show}>
        <p>{name} is in the draft, and a route can choose its models.{isReady ? ' Check the draft, and publish it.' : ''}{estimate}</p>
        {warnings}
        {problems.length > 0 ? <Missing problems={problems} /> : null}
      </div>
    )
  }
  const rules = check.last?.rules ?? []
  const known = a.models[0]
  const done = known ? addCandidate(text, rules, known) : null
  return (
    <div class="about added" role="status" ref={show}>
      <p>{name} is in the draft{known ? <>, and so {a.models.length === 1 ? 'is its model' : 'are its models'} {escapeInvisible(a.models.join(', '))}</> : null}. No route uses it yet. {known ? 'Next step:' : 'Two more steps:'}</p>
      <ol>
        {known ? null : <li>Under <code>models</code>, name a model of {escapeInvisible(a.provider)}{a.isLocal ? <>, or let <a href="/providers?local=1">Add a local model</a> do both steps</> : <>, such as one from <a href="/models">Models</a></>}: <pre tabIndex={0}>{modelLine(a)}</pre></li>}
        <li>Add its name to the candidates of a rule, so that the route can choose it: <pre tabIndex={0}>{escapeInvisible(candidatesLine(known ?? 'NAME', rules))}</pre>{done ? <button type="button" class="button small" onClick={() => onText(done.text)}>Add it to {escapeInvisible(done.rule.name ?? done.rule.label)}</button> : null}</li>
      </ol>
      <p>{isReady ? 'Then check the draft, and publish it. ' : ''}<a href="/docs/providers#local-servers">How models are added</a>{estimate}</p>
      {warnings}
      {problems.length > 0 ? <Missing problems={problems} /> : null}
    </div>
  )
}

/** What goes wrong if the draft is published as it is. */
function Warnings({ silent, traffic }: { silent: boolean; traffic: string | null }) {
  return (
    <>
      {silent ? <p><b>Its server did not answer.</b> Start it before you publish: until then, requests that choose it fail and need a fallback.</p> : null}
      {traffic ? <p>{escapeInvisible(traffic)}</p> : null}
    </>
  )
}

/** What the draft lacks before it can be published. A local model costs nothing, so its price is known. */
function Missing({ problems }: { problems: Problem[] }) {
  const lacksPrice = problems.some((p) => p.code === 'UNPRICED_MODEL')
  return (
    <>
      <p>You cannot publish the draft yet. Fix {pluralize(problems.length, 'problem')} first:</p>
      <ul>{problems.map((p, i) => <li key={i}>Line {p.line}: {escapeInvisible(capitalizeSentence(p.message))}.</li>)}</ul>
      {lacksPrice ? <p>The price of a local model, in its entry under <code>models</code>: <code>{'price: {input: "0", output: "0"}'}</code></p> : null}
    </>
  )
}
