import { useRef, useState } from 'preact/hooks'
import { moment, showUTC, utc, zoneName } from '../format'
import { useKeys } from '../keys'
import { parseRange, presets, range, seconds, setRange, words } from '../range'
import { Field, Popover } from './controls'

/** Chooses the span of time that the page is about. */
export function RangePicker({ usual = '24h' }: { usual?: string }) {
  const r = range(usual)
  const name = words[r.text] ?? (seconds(r.text) !== null ? `Last ${r.text}` : `${moment(r.from)} – ${r.to ? moment(r.to) : 'now'}`)
  const inside = useRef<HTMLDivElement>(null)
  const panel = () => inside.current!.parentElement!
  const set = (text: string) => {
    panel().hidePopover()
    setRange(text, usual)
  }
  useKeys([
    { key: 't', does: 'choose a range of time', run: () => panel().showPopover() },
    { key: 'u', does: 'times in UTC or in your own zone', run: () => showUTC(!utc.value) },
  ])
  return (
    <Popover label={name} name={`Range: ${name}`}>
      <div class="stack" ref={inside}>
        <div class="menu" role="group" aria-label="Ranges">
          {presets.map((p) => (
            <button key={p} type="button" aria-pressed={p === r.text} autofocus={p === r.text} onClick={() => set(p)}>{words[p]}</button>
          ))}
        </div>
        <Typed text={r.text} onSet={set} />
        <label class="check">
          <input type="checkbox" checked={utc.value} onChange={(e) => showUTC(e.currentTarget.checked)} /> Times in UTC (now {zoneName()})
        </label>
      </div>
    </Popover>
  )
}

function Typed({ text, onSet }: { text: string; onSet: (text: string) => void }) {
  const [typed, setTyped] = useState(text)
  const [wrong, setWrong] = useState('')
  const set = (e: Event) => {
    e.preventDefault()
    if (parseRange(typed).text !== typed) setWrong('Such as 2h, 3d, or 2026-11-01T00:00Z..2026-11-02T00:00Z.')
    else {
      setWrong('')
      onSet(typed)
    }
  }
  return (
    <form class="stack" onSubmit={set}>
      <Field label="Another one" hint="45m, 2h, 3d or from..to" wrong={wrong || undefined}>
        {(c) => <input {...c} type="text" value={typed} onInput={(e) => setTyped(e.currentTarget.value)} />}
      </Field>
      <button class="button" type="submit">Set</button>
    </form>
  )
}
