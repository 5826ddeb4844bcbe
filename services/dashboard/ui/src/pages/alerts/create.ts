// Creates an alert together with its first channel.
import { ApiError, callApi } from '../../api'
import type { ChannelKind, RuleBody } from './alert'

/** What a user types to create a channel. In the form of an alert, none means that the alert is only shown on the page. */
export interface ChannelDraft<Kind = ChannelKind | 'none'> {
  kind: Kind
  address: string
  name: string
}

export const newChannel: ChannelDraft = { kind: 'webhook', address: '', name: '' }

/** A channel after its creation. Only a webhook has a signing secret, and only this response contains it. */
export interface CreatedChannel {
  id: string
  name: string
  secret?: string | null
}

const namePrefixes: Record<string, string> = { webhook: 'Webhook ', slack: 'Slack ' }

/** A name for a channel, from the host of its URL. It is empty until an address is typed. */
export function suggestName({ kind, address }: Pick<ChannelDraft, 'kind' | 'address'>): string {
  const plain = address.trim()
  const prefix = namePrefixes[kind]
  if (prefix === undefined) return plain.slice(0, 80)
  const host = /^(?:https?:\/\/)?([^/?#@:]+(?::\d+)?)(?:[/?#]|$)/.exec(plain)?.[1]
  return host ? (prefix + host).slice(0, 80) : ''
}

/** Changes a draft. The name follows the address until the user types another name. */
export function changeChannel<T extends ChannelDraft>(d: T, change: Partial<T>): T {
  const next = { ...d, ...change }
  return change.name === undefined && d.name === suggestName(d) ? { ...next, name: suggestName(next) } : next
}

/**
 * Creates an alert, and first its channel if there is one to create. onChannel gets the channel at
 * once, because it stays when the alert is rejected. Errors of the channel have the parameters
 * channel_name and channel_address, because an alert has a name too.
 */
export async function createAlert(body: RuleBody, channel: ChannelDraft<ChannelKind> | null, onChannel: (c: CreatedChannel) => void): Promise<void> {
  if (!channel) return void (await callApi('POST', '/alerts/rules', body))
  const made = await callApi<CreatedChannel>('POST', '/alerts/channels', { ...channel, quiet_hours: null }).catch((e) => {
    throw changeError(e, (message) => message, (param) => `channel_${param}`)
  })
  onChannel({ ...made, name: channel.name })
  await callApi('POST', '/alerts/rules', { ...body, channels: [made.id] }).catch((e) => {
    throw changeError(e, (message) => `The channel is created, but the alert is not. ${message}`, (param) => param)
  })
}

function changeError(e: unknown, message: (m: string) => string, param: (p: string) => string): unknown {
  if (!(e instanceof ApiError)) return e
  const details = typeof e.details.param === 'string' ? { ...e.details, param: param(e.details.param) } : e.details
  return new ApiError(message(e.message), e.code, e.status, details, e.requestId)
}

/** The channel to create; null if the alert is not sent. */
export const toChannelBody = (d: ChannelDraft): ChannelDraft<ChannelKind> | null => (d.kind === 'none' ? null : { ...d, kind: d.kind })
