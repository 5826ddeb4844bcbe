// Saves an alert, and creates its first channel with it.
import { useRef, useState } from 'preact/hooks'
import { callApi, invalidate } from '../../api'
import { useMutation } from '../../mutation'
import { showToast } from '../../toast'
import { type AlertsData, parseThreshold, type Rule, type RuleBody, type RuleDraft, type Unit } from './alert'
import { createAlert, type CreatedChannel, newChannel, toChannelBody } from './create'

interface Editing {
  data: AlertsData
  rule: Rule | undefined
  draft: RuleDraft
  onDraft: (next: RuleDraft) => void
  onClose: () => void
}

/** What the form of an alert shows, and what its buttons do. */
export function useSaveRule({ data: d, rule, draft, onDraft, onClose }: Editing, unit: Unit) {
  const mutation = useMutation()
  const [channel, setChannel] = useState(newChannel)
  const [created, setCreated] = useState<CreatedChannel>()
  const [finished, setFinished] = useState('')
  const isLeaving = useRef(false)
  // The list may not have the new channel yet.
  const channels = d.channels.length === 0 && created ? [created] : d.channels
  const firstChannel = !rule && channels.length === 0 ? toChannelBody(channel) : null
  let made = created
  const select = (c: CreatedChannel) => {
    made = c
    setCreated(c)
    onDraft({ ...draft, body: { ...draft.body, channels: [c.id] } })
  }
  const save = (body: RuleBody) => (rule ? callApi<void>('PUT', `/alerts/rules/${rule.id}`, body) : createAlert(body, firstChannel, select))
  const send = async () => {
    const threshold = parseThreshold(draft.threshold, unit)
    if (threshold === null) return mutation.rejectField('threshold', 'Enter a number, such as 5 or 0.5.')
    const done = await mutation.run(() => save({ ...draft.body, threshold }).finally(() => invalidate('/alerts')))
    if (done && made) return setFinished('Alert created')
    if (isLeaving.current) return made?.secret ? setFinished('Channel created') : onClose()
    if (!done) return
    showToast(rule ? 'Alert saved.' : 'Alert created.')
    onClose()
  }
  // The secret is shown even if the user gives up the alert, because the channel stays. A channel
  // that is being created has no secret yet, so leaving waits for it.
  const leave = () => {
    isLeaving.current = mutation.busy && firstChannel !== null
    if (!isLeaving.current) return created?.secret ? setFinished('Channel created') : onClose()
  }
  return { mutation, channel, setChannel, channels, needsChannel: !rule && channels.length === 0, created, finished, send, leave }
}
