import { useApi } from '../../api'
import { Dot, Time } from '../../components/bits'
import { Await } from '../../components/states'
import { plural } from '../../format'
import { grouped } from '../../grouped'
import { percent } from '../../money'
import { rowsAt } from '../../rows'
import { word } from '../../words'

interface Target {
  provider: string
  model: string
  succeeded: number
  failed: number
  last_code: string | null
  last_failure: string | null
}

/** How the providers do, one line each. */
export function Providers({ range }: { range: string }) {
  const loaded = useApi<{ items: Target[] }>('/providers')
  return (
    <section class="stack" aria-labelledby="providers">
      <h2 id="providers">Providers <span class="meta">last five minutes, all accounts</span></h2>
      <Await of={loaded} rows={1}>
        {(d) => <ul class="matters">{grouped(d.items, (t) => t.provider).map(([name, targets]) => <Provider key={name} name={name} targets={targets} range={range} />)}</ul>}
      </Await>
    </section>
  )
}

function Provider({ name, targets, range }: { name: string; targets: Target[]; range: string }) {
  const failed = targets.reduce((n, t) => n + t.failed, 0)
  const calls = targets.reduce((n, t) => n + t.succeeded, failed)
  const part = calls === 0 ? 0 : (100 * failed) / calls
  const last = targets.filter((t) => t.last_failure).sort((a, b) => (a.last_failure! < b.last_failure! ? 1 : -1))[0]
  const state = calls === 0 ? 'half' : part >= 50 ? 'bad' : part >= 5 ? 'half' : 'good'
  return (
    <li>
      <Dot state={state} label={{ good: 'works', half: calls === 0 ? 'not called' : 'some calls fail', bad: 'most calls fail' }[state]} />
      <span>
        <a href={rowsAt(word('provider', name), range)}>{name}</a>{' '}
        {calls === 0 ? 'was not called' : <>{percent(part)} of {plural(calls, 'call')} failed</>}
        {last ? <span class="soft">{calls === 0 ? '; its last failure was' : ', last'} <span class="mono">{last.last_code}</span> by {last.model} <Time at={last.last_failure!} as="relative" /></span> : null}
      </span>
    </li>
  )
}
