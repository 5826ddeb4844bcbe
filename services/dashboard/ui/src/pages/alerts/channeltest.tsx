// Sends a test message to a channel, and shows the signing secret of a new one.
import { useState } from 'preact/hooks'
import { callApi, invalidate } from '../../api'
import { CopyButton } from '../../components/basics'
import { Dialog } from '../../components/controls'
import { ErrorBox } from '../../components/states'
import { escapeInvisible } from '../../format'
import { useMutation } from '../../mutation'
import type { CreatedChannel } from './create'

/** Returns the button that sends a test message, and its result. */
export function useChannelTest({ id, name }: { id: string; name: string }) {
  const [result, setResult] = useState<{ ok: boolean; text: string } | null>(null)
  const mutation = useMutation()
  const send = () => mutation.run(async () => {
    setResult(null)
    const { error } = await callApi<{ error: string | null }>('POST', `/alerts/channels/${id}/test`)
    setResult(error ? { ok: false, text: `Test not delivered: ${error}.` } : { ok: true, text: 'Test delivered.' })
    void invalidate('/alerts')
  })
  return {
    button: <button type="button" class="button small" disabled={mutation.busy} onClick={() => void send()} aria-label={`Send test to ${name}`}>Send test</button>,
    result: (
      <>
        <span class={result && !result.ok ? 'lost' : ''} role="status">{result?.text ?? ''}</span>
        {mutation.error ? <ErrorBox error={mutation.error} /> : null}
      </>
    ),
  }
}

/** The end of a creation: the secret, which is shown only here, and a test. */
export function CreatedDialog({ title, channel, onClose }: { title: string; channel: CreatedChannel; onClose: () => void }) {
  const test = useChannelTest(channel)
  return (
    <Dialog open title={title} onClose={onClose}>
      <div class="stack">
        {channel.secret ? (
          <>
            <p>Messages to {escapeInvisible(channel.name)} are signed with this secret. Copy it now: you cannot view it again.</p>
            <div class="line"><code class="secret">{channel.secret}</code><CopyButton text={channel.secret} what="Secret" /></div>
            <p><a href="/docs/limits#notices-and-webhooks">How to check the signature</a></p>
          </>
        ) : <p>Messages go to {escapeInvisible(channel.name)}.</p>}
        <div class="line">{test.button}{test.result}</div>
        <div class="line end"><button type="button" class="button main" onClick={onClose}>Done</button></div>
      </div>
    </Dialog>
  )
}
