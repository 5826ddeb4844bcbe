import { escapeInvisible } from '../../format'
import { addCandidate, type Added, candidatesLine, modelLine } from './added'
import type { Rule } from './types'
import { whenVisible } from './visible'

/** The notice, not the added line, is what to read first. */
const show = (el: HTMLElement | null): void => void (el && whenVisible(el, () => el.scrollIntoView({ block: 'start' })))

/** Says what is left to do until routes use a provider that was added to the draft. */
export function AddedNotice({ of: a, rules, text, onText }: { of: Added; rules: Rule[]; text: string; onText: (text: string) => void }) {
  const name = <b>{escapeInvisible(a.provider)}</b>
  if (a.isRouted) return <div class="about added" role="status" ref={show}><p>{name} is in the draft, and a route can choose its models. Check the draft, and publish it.</p></div>
  const known = a.models[0]
  const done = known ? addCandidate(text, rules, known) : null
  return (
    <div class="about added" role="status" ref={show}>
      <p>{name} is in the draft{known ? <>, and so {a.models.length === 1 ? 'is its model' : 'are its models'} {escapeInvisible(a.models.join(', '))}</> : null}. No route uses it yet. {known ? 'Next step:' : 'Two more steps:'}</p>
      <ol>
        {known ? null : <li>Under <code>models</code>, name a model of {escapeInvisible(a.provider)}{a.isLocal ? ' that is loaded. Enter the quality that you expect of it' : <>, such as one from <a href="/models">Models</a></>}: <pre tabIndex={0}>{modelLine(a)}</pre></li>}
        <li>Add its name to the candidates of a rule, so that the route can choose it: <pre tabIndex={0}>{escapeInvisible(candidatesLine(known ?? 'NAME', rules))}</pre>{done ? <button type="button" class="button small" onClick={() => onText(done.text)}>Add it to {escapeInvisible(done.rule.name ?? done.rule.label)}</button> : null}</li>
      </ol>
      <p>{known && a.isLocal ? <>A rule with <code>min_quality</code> chooses a model only if its entry has a quality, such as <code>{'quality: {general: 0.6}'}</code>. </> : null}Then check the draft, and publish it. <a href="/docs/providers#local-servers">How models are added</a></p>
    </div>
  )
}
