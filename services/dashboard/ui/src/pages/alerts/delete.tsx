// Asks before an alert or a channel is deleted.
import { callApi, invalidate } from '../../api'
import { Dialog } from '../../components/controls'
import { Form, FormButtons } from '../../components/fields'
import { escapeInvisible } from '../../format'
import { useMutation } from '../../mutation'
import { showToast } from '../../toast'

export function DeleteDialog({ path, of, onClose }: { path: 'rules' | 'channels'; of: { id: string; name: string }; onClose: () => void }) {
  const mutation = useMutation()
  const send = async () => {
    const done = await mutation.run(async () => {
      await callApi('DELETE', `/alerts/${path}/${of.id}`)
      invalidate('/alerts')
      showToast(`${escapeInvisible(of.name)} deleted.`)
    })
    if (done) onClose()
  }
  return (
    <Dialog open title={`Delete ${escapeInvisible(of.name)}`} onClose={onClose}>
      <Form onSubmit={() => void send()} error={mutation.error} fieldParams={[]}>
        <p>{path === 'rules' ? 'The alert is not evaluated any more. Its history stays.' : 'Alerts are not sent to this channel any more. Messages that wait for it are dropped.'}</p>
        <FormButtons submit="Delete" kind="danger" busy={mutation.busy} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
