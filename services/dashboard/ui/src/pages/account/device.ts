// Describes the browser and IP address of a session.
const browsers = [['Edg', 'Edge'], ['OPR', 'Opera'], ['Firefox', 'Firefox'], ['Chrome', 'Chrome'], ['Safari', 'Safari']] as const
const systems = [['Android', 'Android'], ['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Windows', 'Windows'], ['Mac OS X', 'macOS'], ['Linux', 'Linux']] as const

/** Describes a client: "Chrome 156 on Linux · 192.0.2.7". */
export function describeClient(client: string): string {
  const at = client.lastIndexOf(' ')
  const agent = client.slice(0, Math.max(0, at))
  const address = client.slice(at + 1)
  for (const [mark, name] of browsers) {
    const version = new RegExp(`${mark}\\w*/(\\d+)`).exec(agent)?.[1]
    if (!version) continue
    const system = systems.find(([s]) => agent.includes(s))?.[1]
    return `${name} ${version}${system ? ` on ${system}` : ''} · ${address}`
  }
  return `${agent.split('/')[0] || 'Unknown client'} · ${address}`
}
